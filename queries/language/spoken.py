"""The languages of texts (BCP 47), and which of them rules, checks, name tagger and encoder know. Pure.

A description has the language that its file states, else its collection's; a text that is stated to be English and
plainly isn't has no known language. A dictionary that is installed anyway decides that: a library (py3langid 0.4.0)
took 50 of 11,829 short English sentences for another language, the dictionary none (docs/rewriting.md).
"""

import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from queries.language.parts_of_speech import tags_by_word

ENGLISH = ("en",)
"""What the rules, the checks of kept words and persons, and the shipped models know."""
UNDETERMINED = "und"
EVERY = "*"
FEWEST_UNKNOWN = 2
MOST_KNOWN = 0.6
"""Of English descriptions with typos 0.65 and more of the words beside names are in the dictionary."""

_WORD = re.compile(r"[^\W\d_]+(?:['’ʼ-][^\W\d_]+)*")
_PARTS = re.compile(r"['’ʼ-]")
_OF_OTHERS = frozenset(
    "der das dem des ein eine einem einen einer und auf mit von zu im ist sich sie er ihr ihre "
    "le la les un une et dans du sur avec qui il elle est au ses sa "
    "el los las una y con del se su por para que lo gli di della nel che uno al "
    "os uma um em na da dos das ao een het de en naar op zijn och det som til og av".split()
)
"""Short words of other languages that the dictionary has, too, but that hardly stand in an English sentence."""
_ENGLISH_ALONE = frozenset("the and with his she they their into from while who someone".split())


def knows(known: Iterable[str], language: str) -> bool:
    """Whether a language is among the known ones, of which each stands for its variants and `*` for all.

    >>> knows(["en"], "en-GB"), knows(["pt-BR"], "pt"), knows(["*"], "und")
    (True, False, True)
    """
    tag = language.casefold()
    return any(known_tag == EVERY or f"{tag}-".startswith(f"{known_tag.casefold()}-") for known_tag in known)


def known_languages(variable: str, environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The languages that a variable names for a model, separated by commas or blanks; English where it is unset."""
    return tuple(environ.get(variable, "").replace(",", " ").split()) or ENGLISH


def language_of(description: Any) -> str:
    """A description's language, `und` where it is said to be English and plainly isn't."""
    return language_of_text(description.text, description.language or description.collection.language)


def language_of_text(text: str, stated: str) -> str:
    """The language that is stated, `und` where that is English and the text plainly isn't."""
    return UNDETERMINED if knows(ENGLISH, stated) and is_plainly_not_english(text) else stated


def languages_of(descriptions: Iterable[Any]) -> dict[str, str]:
    """Text -> its language; `und` where descriptions with the same text have several."""
    language_by_text: dict[str, str] = {}
    for description in descriptions:
        language = language_of(description)
        if language_by_text.setdefault(description.text, language) != language:
            language_by_text[description.text] = UNDETERMINED
    return language_by_text


def is_plainly_not_english(text: str) -> bool:
    """Whether a text is written in other letters than Latin ones, or most of its words beside names aren't English.

    One strange word alone is a typo or slang.

    >>> is_plainly_not_english("Eine Frau stellt die Tasse auf den Tisch; dann geht sie.")
    True
    >>> is_plainly_not_english("The male dectective detains Seth agianst the car.")
    False
    """
    letters = [sign for sign in text if sign.isalpha()]
    if 2 * sum(not _is_latin(sign) for sign in letters) > len(letters):
        return True
    words = _WORD.findall(text)
    judged = [word for word in words if not word[0].isupper() or word.casefold() in _OF_OTHERS]
    folded = {word.casefold() for word in words}
    if folded & _ENGLISH_ALONE and not folded & _OF_OTHERS:
        return False
    known = sum(map(_is_english_word, judged))
    return len(judged) - known >= FEWEST_UNKNOWN and known <= MOST_KNOWN * len(judged)


def _is_latin(sign: str) -> bool:
    return sign < "\u0250" or "\u1e00" <= sign < "\u1f00"


def _is_english_word(word: str) -> bool:
    folded, lexicon = word.casefold().replace("’", "'"), _lexicon()
    return folded not in _OF_OTHERS and (folded in lexicon or max(_PARTS.split(folded), key=len) in lexicon)


@lru_cache(maxsize=1)
def _lexicon() -> frozenset[str]:
    """The words of TextBlob's tagger, lower-case."""
    return frozenset(word.casefold() for word in tags_by_word())
