"""A collection's lexicon: its cast, their genders, and a name check without a model. Pure.

The name check is independent of the tagger, so that it catches what that misses: it goes by the cast, as the
collection's own descriptions show it, and by first names.
Source: rule 2 (docs/developing/map.md); the paper's two checks with their thresholds 0.4 and 0.8.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from queries.language.first_names import Gender, gender_of, is_family_name, is_first_name
from queries.language.known_words import NOT_PERSONS, RARELY_NAMES, is_ordinary
from queries.language.things import ACRONYM, AMOUNTS, is_part_of_thing, stands_as_thing
from queries.language.words import (
    ABBREVIATED_TITLES,
    HE,
    SHE,
    TITLES,
    TITLES_OF_MEN,
    TITLES_OF_WOMEN,
    Word,
    word_set,
    words,
)

LOWER_SHARE = 0.15
"""A word that the corpus writes in lower case more often than this, beside its capitals, is not cast."""

SURE_VOTES, SURE_SHARE = 12, 0.9

DETERMINERS = word_set(
    "a an the his her their its my your our this that these those another some any no each every front "
    "back own new old other white whole big small coffee movie opera doll"
)
"""Words after which "house" or "castle" is a building."""


_OTHERS = word_set(
    "man men woman women girl girls boy boys guy guys patient patients nurse doctor someone somebody "
    "person people wife husband mother father mom dad friend friends boss girlfriend boyfriend lady "
    "waitress waiter sister brother son daughter daughters child kid baby officer cop suspect victim "
    "customer lawyer everyone"
)


@dataclass(frozen=True)
class Lexicon:
    """What is known of a collection's words from its descriptions and cast list. Keys are lower-case."""

    cast: frozenset[str] = frozenset()
    """Words that name a person here."""
    lower: Mapping[str, int] = field(default_factory=dict)
    """How often the descriptions write a word in lower case."""
    nouns: frozenset[str] = frozenset()
    """Words of the cast that are ordinary words here too: after "the" or "a", in lower case."""
    genders: Mapping[str, Gender] = field(default_factory=dict)
    """Gender of the cast where pronouns or titles tell it."""
    sure: frozenset[str] = frozenset()
    """Those of them whose gender the collection's cast list states, or pronouns tell again and again."""
    given: frozenset[str] = frozenset()
    """Words of the names that the collection's cast list gives."""
    full_names: frozenset[tuple[str, str]] = frozenset()
    """Pairs of words that follow each other in one of these names."""
    alone: Mapping[str, int] = field(default_factory=dict)
    """How often a word of the cast stands capitalised without another beside it."""
    beside: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """How often two words of the cast follow each other."""


def build_lexicon(
    descriptions: Iterable[str], cast: Iterable[str] = (), *, genders: Mapping[str, Gender] | None = None
) -> Lexicon:
    """Learn a collection's lexicon from its descriptions.

    A word belongs to the cast when it is capitalised inside sentences and seldom lower-case, when it is a
    first name that the descriptions don't write in lower case, or when it follows a title.
    Args: descriptions: read twice, so no iterator; none is held. cast: names given by the collection ("Rachel Green");
        every word of them is matched besides; genders: of those names, where the collection knows them: its word counts
        more than the pronouns.
    """
    names = [_name_words(name) for name in cast]
    inside: Counter[str] = Counter()
    opening: Counter[str] = Counter()
    lower: Counter[str] = Counter()
    as_noun: Counter[str] = Counter()
    titled: Counter[str] = Counter()
    things: Counter[str] = Counter()
    for sentence in map(words, descriptions):
        for place, (before, word) in enumerate(zip([None, *sentence], sentence, strict=False)):
            key = word.text.casefold()
            if not word.is_word or ACRONYM.fullmatch(word.text):
                continue
            if not word.is_capitalised:
                lower[key] += 1
                as_noun[key] += before is not None and before.text.casefold() in DETERMINERS
            elif word.opens:
                opening[key] += 1
            else:
                inside[key] += 1
            if word.is_capitalised and _is_title(sentence, before):
                titled[key] += 1
            elif word.is_capitalised and stands_as_thing(sentence, place):
                things[key] += 1
    learned = {
        key
        for key in inside.keys() | opening.keys()
        if _is_cast(key, inside[key], opening[key], lower[key], titled[key])
        and (is_first_name(key) or 2 * things[key] < inside[key] + opening[key])
    }
    learned = {key for key in learned if not _is_plural(key, learned, inside)}
    given = frozenset(word for name in names for word in name)
    everyone = given | learned
    alone: Counter[str] = Counter()
    beside: Counter[tuple[str, str]] = Counter()
    clues: Counter[_Clue] = Counter()
    for sentence in map(words, descriptions):
        _count_neighbours(sentence, everyone, alone, beside)
        if clue := _clues(sentence, everyone):
            clues[clue] += 1
    stated, votes = _given_genders(genders or {}), _vote_on_genders(clues)
    return Lexicon(
        cast=everyone,
        lower=dict(lower),
        nouns=frozenset(key for key in everyone if as_noun[key] or is_ordinary(key)),
        genders={**_genders_of(votes), **stated},
        sure=_told_often(votes) | stated.keys(),
        given=given,
        full_names=frozenset(pair for name in names for pair in pairwise(name)),
        alone=dict(alone),
        beside=dict(beside),
    )


def _name_words(name: str) -> list[str]:
    """A given name's words in order, lower-case, its title left out."""
    keys = [part.text.casefold() for part in words(name) if part.is_word]
    return [key for key in keys if key not in TITLES]


def _count_neighbours(
    sentence: Sequence[Word], cast: frozenset[str], alone: Counter[str], beside: Counter[tuple[str, str]]
) -> None:
    """Count where a capitalised word of the cast stands alone, and where after which other one."""
    named = ["", *(word.text.casefold() if word.is_capitalised else "" for word in sentence), ""]
    named = [key if key in cast else "" for key in named]
    for before, key, after in zip(named, named[1:], named[2:], strict=False):
        if key and after:
            beside[key, after] += 1
        elif key and not before:
            alone[key] += 1


def _given_genders(genders: Mapping[str, Gender]) -> dict[str, Gender]:
    """Gender by word of the cast list's names; words that men and women share ("Green") are left out.

    A name of one word is how somebody is called: "Castle, m" counts more than "Alexis Castle, f".
    """
    genders_of: dict[str, set[Gender]] = defaultdict(set)
    called: dict[str, Gender] = {}
    for name, gender in genders.items():
        parts = _name_words(name)
        for part in parts:
            genders_of[part].add(gender)
        if len(parts) == 1:
            called[parts[0]] = gender
    return {word: next(iter(heard)) for word, heard in genders_of.items() if len(heard) == 1} | called


def leftover_names(caption: str, lexicon: Lexicon) -> list[str]:
    """Words of a caption that still name a person, in order, as written.

    A word of the cast counts when capitalised, and in lower case where only a name can stand; any other
    first name counts when it is capitalised and neither an ordinary word nor lower-case in the corpus.
    """
    sentence = words(caption)
    return [
        word.text for place, word in enumerate(sentence) if word.is_word and names_somebody(sentence, place, lexicon)
    ]


def cast_member(word: str, lexicon: Lexicon) -> str | None:
    """The member of the cast that a lower-case word means: itself, or "rachel" for a hasty "rachels"."""
    if word in lexicon.cast:
        return word
    stems = (word.removesuffix("s"), word.removesuffix("es"))
    return next((stem for stem in stems if stem != word and len(stem) > 3 and stem in lexicon.cast), None)


def names_somebody(sentence: Sequence[Word], place: int, lexicon: Lexicon) -> bool:
    """Whether the word at a place names a person, as `leftover_names` understands it."""
    word = sentence[place]
    key = word.text.casefold()
    before = sentence[place - 1] if place else None
    if key in TITLES or (before is not None and before.text.casefold() == "x"):
        return False
    is_letter = len(word.text) == 1
    if word.is_capitalised and _is_title(sentence, before) and (is_letter or key not in NOT_PERSONS | _AFTER_NAMES):
        return True
    if (key in NOT_PERSONS and key not in lexicon.cast) or is_part_of_thing(sentence, place):
        return False
    if key.isdecimal():
        # A number that the cast list gives as a name is mostly a number all the same.
        return key in lexicon.given and (word.opens or _is_title(sentence, before))
    member = cast_member(key, lexicon)
    if member:
        if word.is_capitalised:
            return True
        if member not in lexicon.nouns:
            return lexicon.lower.get(key, 0) == 0 or key == member
        if key != member:
            return False  # "marks things" is a verb, whoever is called Mark
        return in_name_place(sentence, place)
    if not word.is_capitalised:
        return False
    if is_ordinary(key) or lexicon.lower.get(key):
        return _is_ordinary_name(sentence, place, lexicon)
    return is_first_name(key) and not lexicon.lower.get(key)


def _is_ordinary_name(sentence: Sequence[Word], place: int, lexicon: Lexicon) -> bool:
    """Whether a capitalised ordinary word ("Bill", "Cross", "Will") is meant as a name, by its neighbours."""
    word = sentence[place]
    key = word.text.casefold()
    if key in RARELY_NAMES or not (is_first_name(key) or is_family_name(key)):
        return False
    before = sentence[place - 1] if place else None
    after = sentence[place + 1].text.casefold() if place + 1 < len(sentence) else ""
    if word.opens:
        seldom = bool(lexicon.lower) and lexicon.lower.get(key, 0) <= 5
        return (seldom and looks_like_verb(after)) or (key == "will" and after in ("is", "was", "and", "'s"))
    if before is None or before.is_capitalised or before.text.casefold() in DETERMINERS:
        return False
    return not sentence[min(place + 1, len(sentence) - 1)].is_capitalised


def in_name_place(sentence: Sequence[Word], place: int) -> bool:
    """Whether a lower-case word that may be a name or a thing stands where English wants a name.

    "castle points at the laptop", "looks at castle.", "house's cane": no article before it, not the first half of a
    compound, and no amount of it ("a piece of wood"). A judgment by neighbours, meant to err on the side of a name.
    """
    before = sentence[place - 1].text.casefold() if place else ""
    if before == "of" and place > 1 and sentence[place - 2].text.casefold() in AMOUNTS:
        return False
    after = sentence[place + 1] if place + 1 < len(sentence) else None
    if sentence[place].opens or before in ("and", "&", ","):
        return after is not None and (after.is_possessive or looks_like_verb(after.text.casefold()))
    if before in _BEFORE_NAMES:
        return after is None or not after.is_word or after.is_possessive or after.text.casefold() in _AFTER_NAMES
    return False


_BEFORE_NAMES = word_set(
    "at to with from by for behind beside toward towards near against about hands gives tells asks "
    "kisses hugs pushes follows watches hits grabs sees of on"
)
_AFTER_NAMES = word_set("and as while who is was has in on at to with a the his her from but when then")
_VERBS = word_set("is was has had does did and then also who puts sits will")
_NOT_VERBS = word_set("keys plans parties doors windows walls steps rooms gates boots cards")


def looks_like_verb(word: str) -> bool:
    """Whether a lower-case word looks like a verb of the third person: "walks", "was"."""
    if word in _VERBS:
        return True
    return word.endswith("s") and not word.endswith(("ss", "us")) and word not in _NOT_VERBS and len(word) > 3


def _is_cast(key: str, inside: int, opening: int, lower: int, titled: int) -> bool:
    if key in NOT_PERSONS or key in TITLES or len(key) < 2:
        return False
    if lower > LOWER_SHARE * (inside + opening):
        return is_first_name(key) and 2 * lower <= inside
    if inside == 0 and not titled:
        return not is_ordinary(key) and (is_first_name(key) or (opening > 2 and lower == 0))
    return titled > 0 or inside > 1 or lower == 0


def _is_plural(key: str, cast: set[str], inside: Mapping[str, int]) -> bool:
    """Whether a word is one of the cast with an s behind it: "Becketts", but not "Adams" with "Adam"."""
    return key.endswith("s") and key[:-1] in cast and inside[key[:-1]] > 3 * inside[key]


def _is_title(sentence: Sequence[Word], before: Word | None) -> bool:
    """Whether a capitalised title stands right before a word, its full stop passed over."""
    if before is None:
        return False
    if before.text == ".":
        at = sentence.index(before)
        before = sentence[at - 1] if at else before
        return before.text.casefold() in ABBREVIATED_TITLES
    return before.is_capitalised and before.text.casefold() in TITLES


_Clue = tuple[tuple[str, ...], int, int]
"""Names in a sentence, the gender it implies (0 man, 1 woman), and the weight of that."""


_Votes = Mapping[str, Sequence[int]]
"""By word of the cast what speaks for a man, and what for a woman."""


def _vote_on_genders(clues: Mapping[_Clue, int]) -> _Votes:
    """What titles tell of genders, and pronouns in sentences where these can mean only one person.

    First from sentences with one member of the cast, then with that also from sentences with several.
    Args: told: each clue, and in how many sentences it is.
    """
    votes: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for (members, side, weight), sentences in clues.items():
        if len(members) == 1:
            votes[members[0]][side] += weight * sentences
    alone = _genders_of(votes)
    for (members, side, weight), sentences in clues.items():
        opposite = ("woman", "man")[side]
        possible = [member for member in members if alone.get(member, gender_of(member)) != opposite]
        if len(members) > 1 and len(possible) == 1:
            votes[possible[0]][side] += weight * sentences
    return votes


def _clues(sentence: Sequence[Word], cast: frozenset[str]) -> _Clue | None:
    """What a sentence tells of somebody's gender, if it does."""
    keys = [word.text.casefold() for word in sentence]
    named = [word.is_capitalised and key in cast for key, word in zip(keys, sentence, strict=True)]
    begins = (key for at, key in enumerate(keys) if named[at] and not (at and named[at - 1]))
    members = tuple(dict.fromkeys(begins))
    for place, key in enumerate(keys):
        title = keys[place - 1 - (place > 1 and keys[place - 1] == ".")] if place else ""
        if key in members and title in TITLES_OF_MEN | TITLES_OF_WOMEN:
            return (key,), int(title in TITLES_OF_WOMEN), 3
    he, she = not HE.isdisjoint(keys), not SHE.isdisjoint(keys)
    if not members or he == she:
        return None
    if not _OTHERS.isdisjoint(keys):
        return members, int(she), 0
    return members, int(she), 3 if keys[0] == members[0] else 1


def _genders_of(votes: _Votes) -> dict[str, Gender]:
    learned: dict[str, Gender] = {}
    for key, (men, women) in votes.items():
        listed = gender_of(key)
        heard: Gender = "man" if men > women else "woman"
        most, all_ = max(men, women), men + women
        if listed in ("man", "woman") and listed != heard and all_ < 12:
            learned[key] = listed
        elif all_ and most >= 0.7 * all_:
            learned[key] = heard
    return learned


def _told_often(votes: _Votes) -> frozenset[str]:
    """The words for which so much speaks that no first name, and no patient called alike, makes it doubtful."""
    return frozenset(
        key for key, both in votes.items() if max(both) >= SURE_VOTES and max(both) >= SURE_SHARE * sum(both)
    )
