"""Counts with their nouns, the one form in which texts are compared, and their words."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+(?:['’ʼ-][^\W_]+)*")


def counted(number: int, one: str, many: str = "") -> str:
    """A count with its noun, for what is stored, logged or printed, which is English.

    Args: many: the plural, if it isn't with an s, or ies for a y.

    >>> counted(1, "pair"), counted(2000, "pair"), counted(0, "query"), counted(2, "child", "children")
    ('1 pair', '2,000 pairs', '0 queries', '2 children')
    """
    return f"{number:,} {one if number == 1 else many or re.sub('(?<![aeiou])y$', 'ie', one) + 's'}"


def normalise(text: str) -> str:
    """The form in which captions are compared: Unicode NFC, case folded, white space collapsed.

    As `foundation.text` has it, said again: a process of the site that knows that one may not load numpy before it has
    said how many threads it takes.

    >>> normalise("A  MAN reads\\na letter. ")
    'a man reads a letter.'
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(folded.split())


def words_of(text: str) -> list[str]:
    """The words of a text, case folded, in order: runs of letters and digits, with apostrophes and hyphens inside.

    >>> words_of("A woman's dog -- two-coloured -- BARKS.")
    ['a', "woman's", 'dog', 'two-coloured', 'barks']
    """
    return _WORD.findall(unicodedata.normalize("NFC", text).casefold())
