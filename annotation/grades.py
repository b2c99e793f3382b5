"""The grades 0 to 4 of the paper (rule 5): their names on pages and their meanings in releases. Pure."""

_WORDS = (
    ("unrelated", "unrelated"),
    ("a few points", "a few points of the query"),
    ("in part", "part of the query"),
    ("nearly perfect", "the query well, but for a detail"),
    ("perfect", "the query perfectly"),
)

GRADES = tuple(range(len(_WORDS)))
GRADE_COUNT = len(_WORDS)
NAMES = tuple(name for name, _ in _WORDS)
SHOWN = tuple(shown for _, shown in _WORDS)
"""What a moment of each grade shows of its query."""


def names_up_to(top_grade: int) -> list[tuple[int, str]]:
    """The grades from 0 to `top_grade`, with their names.

    >>> names_up_to(1)
    [(0, 'unrelated'), (1, 'a few points')]
    """
    return list(enumerate(NAMES))[: top_grade + 1]
