"""Varied words for persons, in the diverse style: "guy", "someone", "two people". Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from queries.language.mentions import Mention
from queries.language.people import People, Person
from queries.language.person_details import details_after
from queries.language.person_phrases import Phrase, find_phrases
from queries.language.words import Word

SHARES = {
    "man": (("man", 0.71), ("person", 0.28), ("guy", 0.01)),
    "woman": (("woman", 0.71), ("person", 0.28), ("girl", 0.01)),
}
"""About as often as in Table 3 of the paper, where 28 of 100 persons are a "person" and 1.4 % of the men a "guy"."""
SOMEONE_SHARE = 0.07
"""Of the persons who are called so anyway."""
ROLE_SHARE = 0.6
"""Of those with a title that says what they do."""
PEOPLE_SHARE = 0.8
"""Of the groups whose genders are known: the rest stay "two men", "a man and a woman"."""


@dataclass(frozen=True)
class Variety:
    """Choices that depend on the description alone: equal ones get equal captions."""

    text: str

    def share(self, about: str) -> float:
        """A number in [0, 1) for one choice."""
        digest = hashlib.sha256(f"{about}\n{self.text}".encode()).digest()
        return int.from_bytes(digest[:8]) / 2**64

    def vary(self, persons: Sequence[Person]) -> None:
        """Call some of the persons otherwise. What the text says with "he" or "she" stays a man or a woman there."""
        for place, person in enumerate(persons):
            if person.role and self.share(f"role {place}") < ROLE_SHARE:
                person.noun = person.role
            left = self.share(f"noun {place}")
            for noun, share in SHARES.get(person.noun, ()):
                if left < share:
                    person.noun = noun
                    break
                left -= share

    def is_someone(self, person: Person) -> bool:
        return person.noun == "person" and self.share(f"someone {person.first_place}") < SOMEONE_SHARE

    def is_people(self, persons: Sequence[Person]) -> bool:
        return self.share(f"people {persons[0].first_place}") < PEOPLE_SHARE


def described_beside(sentence: Sequence[Word], mention: Mention) -> tuple[Phrase, int] | None:
    """Who is joined to a name by "and" without a name of his own, and where what is said of his looks ends.

    "Ross and the tall man wearing a hat": Table 2's third row makes two people of them.
    """
    at = mention.end + 1
    if mention.possessive or at >= len(sentence) or sentence[at].text.casefold() not in ("and", "&"):
        return None
    phrase = next((candidate for candidate in find_phrases(sentence) if candidate.start > at), None)
    if phrase is None or phrase.start - at > 3 or phrase.stated != 1 or phrase.few != 1:
        return None
    between = [word.text.casefold() for word in sentence[at + 1 : phrase.noun]]
    if not between or between[0] not in ("a", "an", "the") or not all(word.isalpha() for word in between):
        return None
    end = details_after(sentence, phrase.noun)
    owns = end + 1 < len(sentence) and sentence[end + 1].is_possessive
    return None if owns else (phrase, end)


def possessive_pronoun(people: People, person: Person) -> str:
    """ "his" or "her" for somebody spoken of before, where it can mean nobody else; otherwise ""."""
    gender = {"man": "man", "guy": "man", "woman": "woman", "girl": "woman"}.get(person.noun)
    others = {"man": ("woman", "girl"), "woman": ("man", "guy")}
    everyone = people.everyone()
    if gender is None or not people.is_known(person):
        return ""
    if any(other is not person and other.noun not in others[gender] for other in everyone):
        return ""
    return "his" if gender == "man" else "her"
