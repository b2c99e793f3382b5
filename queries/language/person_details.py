"""What a description says of somebody's looks, which a general caption may leave out. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from queries.language.parts_of_speech import tag_of
from queries.language.words import Word, word_set

PRONOUNS = word_set("he him his himself she her hers herself they them their theirs themselves")
"""Words that may stand for somebody who was spoken of before."""

_WEARING = word_set("wearing dressed")
_WITH = word_set("in with")
_LOOKS = word_set(
    "dress shirt t-shirt suit coat hat jacket glasses sunglasses hair scrubs uniform beard mustache moustache tie gown "
    "robe sweater hoodie vest jeans pants shorts skirt blouse cap apron gloves boots shoes heels pajamas costume polo "
    "cardigan scarf blazer tuxedo bikini swimsuit underwear clothes outfit top stripes earrings necklace lab"
)
_COLOURS = word_set(
    "red green blue brown black white gray grey pink purple yellow orange gold golden silver tan dark light blond "
    "blonde long short curly bald plaid striped checkered colored"
)
_GENERAL_LOOKS = word_set("clothes outfit uniform costume top")
_AND = word_set("and with of the a an his her their")
_VERBS = word_set("is was were are has had have does did do can could will would then as while when who that")
_LONGEST = 10


def details_after(sentence: Sequence[Word], place: int) -> int:
    """Where what is said of the looks of the person at a place ends: "wearing a checkered polo", "in a red dress".

    Returns: the place of the last word of it; the place itself when nothing is said.
    """
    at = place + 1
    if at + 1 < len(sentence) and sentence[at].text.casefold() in ("who", "that"):
        at += 1 + (sentence[at + 1].text.casefold() in ("is", "was", "are", "were"))
    key = sentence[at].text.casefold() if at < len(sentence) else ""
    if key not in _WEARING | _WITH:
        return place
    end = at
    for step in range(at + 1, min(at + 1 + _LONGEST, len(sentence))):
        word = sentence[step]
        if not word.is_word or not _belongs(word.text.casefold(), first=step == at + 1):
            break
        if word.text.casefold() not in _AND:
            end = step
    described = {word.text.casefold() for word in sentence[at : end + 1]}
    return end if not described.isdisjoint(_LOOKS) else place


def looks_otherwise(old: str, new: str) -> bool:
    """Whether a word says otherwise how somebody looks, and is not just more general: "blue" for "red"."""
    if tag_of(old) == tag_of(new) == "JJ":
        return True
    return any({old.casefold(), new.casefold()} <= kind for kind in (_COLOURS, _LOOKS - _GENERAL_LOOKS))


def _belongs(key: str, *, first: bool) -> bool:
    """Whether a word goes on with what somebody wears; a verb of the third person or a preposition doesn't."""
    if key in _LOOKS | _COLOURS | _AND or (first and key in _WITH):
        return True
    return key not in _VERBS and not key.endswith(("s", "ing", "ed", "ly")) and len(key) > 3
