"""The grades 0 to 4 of the paper (rule 5): their names on pages and their meanings in releases. Pure."""

from django.utils.translation import gettext, gettext_noop

_WORDS = (
    (gettext_noop("unrelated"), "unrelated"),
    (gettext_noop("a few points"), "a few points of the query"),
    (gettext_noop("in part"), "part of the query"),
    (gettext_noop("nearly perfect"), "the query well, but for a detail"),
    (gettext_noop("perfect"), "the query perfectly"),
)

GRADES = tuple(range(len(_WORDS)))
GRADE_COUNT = len(_WORDS)
NAMES = tuple(name for name, _ in _WORDS)
SHOWN = tuple(shown for _, shown in _WORDS)
"""What a moment of each grade shows of its query."""


def names_up_to(top_grade: int) -> list[tuple[int, str]]:
    """The grades from 0 to `top_grade`, with their names in the reader's language.

    >>> names_up_to(1)
    [(0, 'unrelated'), (1, 'a few points')]
    """
    return [(grade, gettext(NAMES[grade])) for grade in GRADES[: top_grade + 1]]
