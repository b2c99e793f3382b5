"""Counts with their nouns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.texts import counted

if TYPE_CHECKING:
    from django.utils.functional import Promise

__all__ = ["counted", "counted_words"]


def counted_words(count: int, words: Promise, **named: str) -> str:
    """A count in words of `ngettext_lazy` in which it is `shown`, beside what is `named`; "" where there is nothing to
    count.

    >>> from django.utils.translation import ngettext_lazy
    >>> words = ngettext_lazy("%(shown)s query has none", "%(shown)s queries have none", "count")
    >>> counted_words(1, words), counted_words(2000, words)
    ('1 query has none', '2,000 queries have none')
    """
    return str(words % {"count": count, "shown": f"{count:,}", **named}) if count > 0 else ""
