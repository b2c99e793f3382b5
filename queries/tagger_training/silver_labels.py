"""Silver labels: which words of a description are names, inferred from the descriptions themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from functools import lru_cache

from queries.language.first_names import is_family_name, is_first_name
from queries.language.known_words import NOT_PERSONS, is_ordinary
from queries.language.lexicon import DETERMINERS, Lexicon, cast_member, in_name_place
from queries.language.words import TITLES, Word

_ACRONYM = re.compile(r"[A-Z]{2,6}")


def label_names(sentence: Sequence[Word], lexicon: Lexicon) -> list[bool] | None:
    """One truth value a word: does it name a person? Titles and possessive endings don't.

    Returns: None where the text alone leaves a word undecided, so that nobody learns from a guess.
    """
    labels: list[bool] = []
    for place in range(len(sentence)):
        label = _label(sentence, place, labels, lexicon)
        if label is None:
            return None
        labels.append(label)
    return labels


def _label(sentence: Sequence[Word], place: int, before: Sequence[bool], lexicon: Lexicon) -> bool | None:
    word = sentence[place]
    key = word.text.casefold()
    if not word.is_word or not any(letter.isalpha() for letter in key) or len(key) < 2:
        return False
    member = cast_member(key, lexicon)
    if not word.is_capitalised:
        return _label_lower(sentence, place, member, lexicon)
    if member:
        return True
    if key in NOT_PERSONS or key in TITLES or _ACRONYM.fullmatch(word.text):
        return False
    lower = lexicon.lower.get(key, 0)
    follows_name = bool(before) and (before[-1] or (len(before) > 1 and sentence[place - 1].text == "." and before[-2]))
    if follows_name and is_family_name(key) and not key.endswith("s"):
        return True
    if lower or is_ordinary(key):
        return False
    if not word.opens or is_first_name(key):
        return True
    if get_close_matches(key, _long_names(lexicon), n=1, cutoff=0.8):
        return True
    return None


def _label_lower(sentence: Sequence[Word], place: int, member: str | None, lexicon: Lexicon) -> bool | None:
    if member is None:
        return False
    key = sentence[place].text.casefold()
    if member not in lexicon.nouns:
        return key == member or not lexicon.lower.get(key)
    before = sentence[place - 1].text.casefold() if place else ""
    if before in DETERMINERS:
        return False
    if in_name_place(sentence, place):
        return True
    return None if key == member else False


@lru_cache(maxsize=4)
def _long_names_of(cast: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(name for name in cast if len(name) > 4))


def _long_names(lexicon: Lexicon) -> tuple[str, ...]:
    return _long_names_of(lexicon.cast)
