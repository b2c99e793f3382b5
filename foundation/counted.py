"""Counts with their nouns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # releases are checked without Django
    from django.utils.functional import Promise


def counted(number: int, one: str, many: str = "") -> str:
    """A count with its noun, for what is stored, logged or printed, which is English. `many`: the plural, if it isn't
    with an s.

    >>> counted(1, "pair"), counted(2000, "pair"), counted(0, "query", "queries")
    ('1 pair', '2,000 pairs', '0 queries')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def counted_words(count: int, words: Promise, **named: str) -> str:
    """A count in words of `ngettext_lazy` in which it is `shown`, beside what is `named`; "" where there is nothing to
    count.

    >>> from django.utils.translation import ngettext_lazy
    >>> words = ngettext_lazy("%(shown)s query has none", "%(shown)s queries have none", "count")
    >>> counted_words(1, words), counted_words(2000, words)
    ('1 query has none', '2,000 queries have none')
    """
    return str(words % {"count": count, "shown": f"{count:,}", **named}) if count > 0 else ""
