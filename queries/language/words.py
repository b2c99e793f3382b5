"""Tokenise text: words with their positions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


def word_set(listed: str) -> frozenset[str]:
    """The set of a text's words, separated by white space."""
    return frozenset(listed.split())


TITLES = word_set(
    "dr mr mrs ms miss mx det detective doctor prof professor capt captain lt lieutenant sgt sergeant "
    "officer agent nurse judge sir madam lady lord aunt uncle father sister brother rev reverend "
    "senator president colonel col general gen major maj sheriff chief inspector king queen prince "
    "princess st mister"
)
"""Words that announce a name when it follows them, lower-case, without their full stop."""

ABBREVIATED_TITLES = word_set("dr mr mrs ms mx det prof capt lt sgt rev col gen maj st jr sr")
"""Those of them that are written with a full stop, which then doesn't end a sentence."""

TITLES_OF_MEN = word_set("mr mister sir lord uncle father brother king prince")
TITLES_OF_WOMEN = word_set("mrs ms miss madam lady aunt sister queen princess")
HE, SHE = word_set("he him his himself"), word_set("she her hers herself")
"""Pronouns that mean a man, or a woman. All lower-case."""

_WORD = re.compile(r"[^\W_]+(?:['’ʼ][^\W_]+)*(?:-[^\W_]+(?:['’ʼ][^\W_]+)*)*|[^\w\s]|_")
_POSSESSIVE = re.compile(r"['’ʼ][sS]?$")
_APOSTROPHES = "'’ʼ"


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a mark of a text, and where it stands."""

    text: str
    start: int
    end: int
    opens: bool
    """True where English would write a capital anyway: at the start of a sentence or a quotation."""

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum()

    @property
    def is_capitalised(self) -> bool:
        return self.text[0].isupper()

    @property
    def is_possessive(self) -> bool:
        """True for the "'s" or "'" that follows a name."""
        return self.text[0] in _APOSTROPHES


def collapse(text: str) -> str:
    """The text with every run of white space made one space, none at its ends and none before , . ; ! ?"""
    return re.sub(r"\s+([,.;!?])", r"\1", " ".join(text.split()))


def words(text: str) -> list[Word]:
    """Words and marks of a text in order; a possessive ending is a word of its own ("Rachel", "'s").

    Returns: words whose [start, end) slices of the text are their texts; white space belongs to none.
    """
    tokens: list[Word] = []
    opens = True
    for part, start, end in _parts(text):
        tokens.append(Word(part, start, end, opens))
        opens = _opens_next(part, tokens, opens)
    return tokens


def _parts(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _WORD.finditer(text):
        part, start, end = match.group(), match.start(), match.end()
        ending = _POSSESSIVE.search(part)
        if ending and ending.start() > 0:
            cut = start + ending.start()
            yield part[: ending.start()], start, cut
            yield text[cut:end], cut, end
        else:
            yield part, start, end


def _opens_next(part: str, before: list[Word], opened: bool) -> bool:
    """Whether the next word starts a sentence or quotation, where its capital means nothing."""
    if part in "!?:…":
        return True
    if part == ".":
        previous = before[-2].text if len(before) > 1 else ""
        return previous.casefold() not in ABBREVIATED_TITLES and not (len(previous) == 1 and previous.isupper())
    if part in "\"“«‘(*-–—'":
        return opened or part in '"“«‘'
    return False
