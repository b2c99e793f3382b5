"""Capitalised words that name a thing or a place by where they stand: "his Vicodin", "the Voyager probe". Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from queries.language.first_names import is_family_name, is_first_name
from queries.language.known_words import NOT_PERSONS
from queries.language.words import TITLES, Word, word_set

ACRONYM = re.compile(r"[A-Z0-9]{2,6}s?")

_DETERMINERS = word_set("a an the his its my your our their some any no every each this these those another")
_NO_OWNERS = word_set("it that there he she who what here this where let")
"""Words whose 's is a verb."""
AMOUNTS = word_set(
    "bottle bottles glass glasses cup cups mug shot shots can cans box pack bag bowl game piece pill pills dose "
    "drink sip copy episode block blocks plank planks stick log logs pile"
)
"""What stands before "of" and a drink, a drug, a game or a material."""
_PLACES = word_set(
    "security restaurant hotel motel hospital street avenue road university college school bar cafe club company "
    "bank airport museum station center centre theater theatre building bridge square store shop lounge diner "
    "magazine channel"
)
"""What makes "Hungry Orchid" before it a place."""
_PLACES_BEGIN = word_set("central new mount san los las")
_OF_TWO_WORDS = {("teddy", "bear"), ("mario", "kart"), ("barbie", "doll"), ("jack", "daniel"), ("jack", "daniels")}
_QUOTES = '"“”«»'


def stands_as_thing(sentence: Sequence[Word], place: int) -> bool:
    """Whether the capitalised word at a place stands where English has a thing, not somebody, however it is called.

    After an article or an owner, in an amount of something, alone in quotation marks, within the name of a place.
    A possessive, a title and a family's plural ("the Gellers") mean a person. The caller looks first for words that
    are known to name one: "a pregnant Rachel", "the young Castle".
    """
    first, last = _run(sentence, place)
    after = sentence[last + 1] if last + 1 < len(sentence) else None
    if after is not None and after.is_possessive:
        return False
    keys = [word.text.casefold() for word in sentence[first : last + 1]]
    if keys[-1] in _PLACES or any(key in NOT_PERSONS for key in keys if key != sentence[place].text.casefold()):
        return True
    if not first:
        return False
    before = sentence[first - 1]
    key = before.text.casefold()
    if key in TITLES or keys[0] in TITLES:
        return False
    if before.text in _QUOTES and after is not None and not after.is_word:
        return True
    if key == "the" and keys[-1].endswith("s") and not ACRONYM.fullmatch(sentence[last].text):
        return not (is_first_name(keys[-1][:-1]) or is_family_name(keys[-1][:-1]) or is_family_name(keys[-1]))
    if key in _DETERMINERS:
        return True
    if key == "of" and first > 1:
        return sentence[first - 2].text.casefold() in AMOUNTS
    return before.is_possessive and first > 1 and sentence[first - 2].text.casefold() not in _NO_OWNERS


def is_part_of_thing(sentence: Sequence[Word], place: int) -> bool:
    """Whether its neighbour makes it half of something, whoever is called so: "Central Park", "teddy bear"."""
    before = sentence[place - 1] if place else None
    pair = tuple(word.text.casefold() for word in sentence[place : place + 2])
    if pair in _OF_TWO_WORDS:
        return True
    return before is not None and before.is_capitalised and before.text.casefold() in _PLACES_BEGIN


def _run(sentence: Sequence[Word], place: int) -> tuple[int, int]:
    """The first and last place of the capitalised words around one, those that open a sentence only as its first."""
    first = last = place
    while first and not sentence[first].opens and sentence[first - 1].is_word and sentence[first - 1].is_capitalised:
        first -= 1
    while last + 1 < len(sentence) and sentence[last + 1].is_word and sentence[last + 1].is_capitalised:
        last += 1
    return first, last
