"""Resolve mentions to persons: who is the same, of which gender, what to call them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache

from queries.language.first_names import Gender, gender_of, is_family_name, is_usual
from queries.language.lexicon import Lexicon
from queries.language.mentions import Mention
from queries.language.words import HE, SHE, TITLES_OF_MEN, TITLES_OF_WOMEN, Word, word_set

PLURALS = {"man": "men", "woman": "women", "person": "people", "guy": "guys", "girl": "girls"}
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")

_TITLES_OF_ROLE = {
    "doctor": "dr drs doctor doctors",
    "detective": "det detective detectives",
    "agent": "agent agents",
    "officer": "officer officers",
    "nurse": "nurse nurses",
    "captain": "capt captain",
    "professor": "prof professor",
    **{role: role for role in ("judge", "senator", "colonel", "sheriff")},
}
_ROLE_OF_TITLE = {title: role for role, titles in _TITLES_OF_ROLE.items() for title in titles.split()}
_GENERIC = {
    "man": word_set("man guy gentleman boy"),
    "woman": word_set("woman lady girl"),
    "person": word_set("person"),
    "doctor": word_set("doctor"),
    "detective": word_set("detective"),
    "nurse": word_set("nurse"),
}


@dataclass
class Person:
    """A person named in a description, with all their names there."""

    names: set[str]
    noun: str = "person"
    role: str = ""
    """What a title says: "doctor"."""
    first_place: int = 0
    order: int | None = field(default=None)
    """Which one of this noun the person is, from 0 in order of appearance; None before that."""
    in_group: bool = False
    """Whether the person was only spoken of as one of "two men" so far."""


class People:
    """The persons of one description, and which of them were mentioned so far."""

    def __init__(self, sentence: Sequence[Word], mentions: Sequence[Mention], lexicon: Lexicon) -> None:
        self._sentence = sentence
        self.mentions = mentions
        self._person_of: dict[int, Person] = {}
        self._count: dict[str, int] = {}
        genders: dict[int, Gender] = {}
        titles: dict[int, str] = {}
        persons: list[Person] = []
        for mention in mentions:
            gender = _gender(mention, lexicon)
            same = (earlier for earlier in persons if _is_same(earlier, mention))
            person = next((known for known in same if {genders[id(known)], gender} != {"man", "woman"}), None)
            if person is None:
                person = Person(set(), first_place=mention.first)
                persons.append(person)
            person.names.update(mention.names)
            self._person_of[id(mention)] = person
            if gender != "person" or id(person) not in genders:
                genders[id(person)] = gender
            titles.setdefault(id(person), mention.title)
        _settle_by_pronoun(sentence, persons, genders)
        for person in persons:
            gender = genders[id(person)]
            person.role = _ROLE_OF_TITLE.get(titles[id(person)], "")
            person.noun = person.role if gender == "person" and person.role else gender

    def of(self, mention: Mention) -> Person:
        return self._person_of[id(mention)]

    def everyone(self) -> list[Person]:
        """Each person once, in order of appearance."""
        return list({id(person): person for person in self._person_of.values()}.values())

    def is_known(self, person: Person) -> bool:
        """Whether the person was mentioned before."""
        return person.order is not None

    def introduce(self, person: Person) -> str:
        """What to call a person here: "a man", "another man", and from the second time on "the man"."""
        noun = person.noun
        if person.order is None:
            seen = self._seen(person)
            person.order = seen
            self._count[noun] = seen + 1
            if seen:
                return f"another {noun}"
            return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"
        if person.in_group:
            return self._single_out(person)
        if self._count[noun] == 1:
            return f"the {noun}"
        if self._count[noun] == 2:
            return f"the first {noun}" if person.order == 0 else f"the other {noun}"
        return f"the {ORDINALS[min(person.order, len(ORDINALS) - 1)]} {noun}"

    def introduce_people(self, persons: Sequence[Person], *, others: int = 0) -> str:
        """A group of new persons whatever their gender: "two people"; others: in it without a name."""
        for person in persons:
            person.noun = "person"
            self.introduce(person)
            person.in_group = True
        return f"{_number(len(persons) + others)} people"

    def introduce_together(self, persons: Sequence[Person]) -> str:
        """What to call an enumeration of new persons: "two men", "a man and two women", "three people"."""
        nouns = [person.noun if person.noun in PLURALS else "person" for person in persons]
        if "person" in nouns:
            return self.introduce_people(persons)
        phrases = []
        for noun in dict.fromkeys(nouns):
            members = [person for person in persons if person.noun == noun]
            seen = self._seen(members[0])
            introduced = [self.introduce(member) for member in members]
            if len(members) == 1:
                phrases += introduced
                continue
            for member in members:
                member.in_group = True
            phrases.append(f"{_number(len(members))} {'other ' if seen else ''}{PLURALS[noun]}")
        return " and ".join(phrases)

    def _single_out(self, person: Person) -> str:
        """The first mention of one of a group: "one of the men", who is "the first man" from now on."""
        order = person.order or 0
        everyone = self.everyone()
        alike = [other for other in everyone if other.noun == person.noun]
        before = [other for other in alike if other.order is not None and other.order < order]
        if any(not other.in_group for other in before):
            return f"the {ORDINALS[min(order, len(ORDINALS) - 1)]} {person.noun}"
        for other in before:
            other.order = (other.order or 0) + 1
        for other in everyone:
            other.in_group = False
        person.order = 0
        return f"one of the {PLURALS[person.noun]}"

    def _seen(self, person: Person) -> int:
        """How many of a person's noun were spoken of before: by name, or as "a man" in the text itself."""
        if person.noun in self._count:
            return self._count[person.noun]
        generic = _GENERIC.get(person.noun, frozenset())
        return int(any(word.text.casefold() in generic for word in self._sentence[: person.first_place]))


def _number(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def _is_same(person: Person, mention: Mention) -> bool:
    """Whether a mention means somebody named before: a name in common, slips of the pen allowed."""
    if not person.names.isdisjoint(mention.names):
        return True
    return any(
        len(name) > 4 and len(other) > 4 and SequenceMatcher(None, name, other).ratio() >= 0.85
        for name in person.names
        for other in mention.names
    )


def sure_gender(mention: Mention, lexicon: Lexicon) -> Gender:
    """The gender that a title, the cast list, many pronouns or a first name tell; "person" where it would be a guess.

    A name that is a family name, too, states none by itself: Adams and Park may be women.
    """
    stated = any(name in lexicon.sure for name in mention.names)
    titled = mention.title in TITLES_OF_MEN | TITLES_OF_WOMEN
    called = mention.names[0]
    named = is_usual(called) and (len(mention.names) > 1 or not is_family_name(called))
    return _gender(mention, lexicon) if stated or titled or named else "person"


def _gender(mention: Mention, lexicon: Lexicon) -> Gender:
    if mention.title in TITLES_OF_MEN:
        return "man"
    if mention.title in TITLES_OF_WOMEN:
        return "woman"
    for name in mention.names:
        if name in lexicon.genders:
            return lexicon.genders[name]
    listed = [gender for name in mention.names[:1] if (gender := gender_of(name))]
    if listed and listed[0] != "person":
        return listed[0]
    known = tuple(sorted(lexicon.genders))
    for name in mention.names:
        if len(name) > 4 and (close := _closest(name, known)):
            return lexicon.genders[close]
    return "person"


@lru_cache(maxsize=4096)
def _closest(name: str, known: tuple[str, ...]) -> str | None:
    matches = get_close_matches(name, known, n=1, cutoff=0.8)
    return matches[0] if matches else None


def _settle_by_pronoun(sentence: Sequence[Word], persons: Sequence[Person], genders: dict[int, Gender]) -> None:
    """Set the one unknown gender from the pronouns, if these can mean nobody else."""
    unknown = [person for person in persons if genders[id(person)] == "person"]
    keys = {word.text.casefold() for word in sentence}
    he, she = not keys.isdisjoint(HE), not keys.isdisjoint(SHE)
    if len(unknown) != 1 or he == she:
        return
    gender: Gender = "man" if he else "woman"
    if gender not in {genders[id(person)] for person in persons}:
        genders[id(unknown[0])] = gender
