"""Phrases for persons without names ("two men", "another nurse"), and how many they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from queries.language.words import HE, SHE, Word, word_set

ARTICLES = word_set("a an the")

_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "both": 2, "couple": 2, "pair": 2,
}  # fmt: skip
_MALE = word_set(
    "man men boy boys guy guys male males gentleman gentlemen husband father dad son brother boyfriend uncle "
    "grandfather king prince policeman waiter actor groom"
)
_FEMALE = word_set(
    "woman women girl girls lady ladies female females wife mother mom daughter sister girlfriend aunt grandmother "
    "queen princess policewoman waitress actress bride"
)
_EITHER = word_set(
    "person people persons individual individuals adult adults child children kid kids baby teenager teen someone "
    "somebody doctor doctors nurse nurses detective detectives officer officers agent agents judge judges captain "
    "captains professor professors patient patients friend friends roommate roommates colleague colleagues coworker "
    "coworkers co-worker co-workers neighbor neighbors boss sergeant lieutenant chief sheriff reverend senator "
    "president colonel general major couple scientist physicist writer surgeon character characters sibling siblings "
    "co-star costar co-stars costars partner partners lawyer lawyers student students assistant secretary cop cops "
    "guest guests stranger"
)
NOUNS = _MALE | _FEMALE | _EITHER
"""Words that stand for a person or several. Lower-case."""

ANYBODY = word_set(
    "man men woman women person people persons guy guys girl girls boy boys lady ladies gentleman gentlemen male males "
    "female females someone somebody individual individuals adult adults couple character characters"
)
"""Those that tell at most somebody's gender."""
PLURAL_NOUNS = word_set("men women people persons gentlemen children policemen ladies") | frozenset(
    noun for noun in NOUNS if noun.endswith("s") and noun[:-1] in NOUNS
)
_DETERMINERS = ARTICLES | word_set(
    "another some this that these those his her their its other first second third fourth fifth last"
)
_BEFORE_NOUNS = _DETERMINERS | frozenset(_NUMBERS) | word_set("group of few several young old older younger all many")
_KNOWN = word_set("the this that these those other first second third fourth fifth last")
MANY = 99


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun that stands for persons, with the determiner and numeral before it."""

    start: int
    noun: int
    """The places of its first word and of its noun."""
    word: str
    """The noun, lower-case."""
    few: int
    many: int
    """At least and at most so many persons who were not spoken of before: "the man" may be one or none."""
    stated: int
    """The number that the phrase itself states: 2 for "the two men"; 1 where it states none."""

    @property
    def places(self) -> range:
        return range(self.start, self.noun + 1)

    @property
    def gender(self) -> str:
        """ "man", "woman" or "person", as far as the noun tells."""
        return gender_of_noun(self.word)


@dataclass(frozen=True, slots=True)
class Count:
    """A range of how many persons a sentence may mean: `few` to `many`."""

    few: int
    many: int

    def nearest(self, number: int) -> int:
        """The number in this range that is nearest to another."""
        return min(max(number, self.few), self.many)


def gender_of_noun(noun: str) -> str:
    """ "man", "woman" or "person": whom a noun stands for, as far as it tells."""
    if noun.casefold() in _MALE:
        return "man"
    return "woman" if noun.casefold() in _FEMALE else "person"


def gender_of_word(word: str) -> str:
    """ "man", "woman" or "person": whom a noun or a pronoun stands for ("her": a woman; "two", "other": either)."""
    if word.casefold() in HE:
        return "man"
    return "woman" if word.casefold() in SHE else gender_of_noun(word)


def find_phrases(sentence: Sequence[Word]) -> tuple[Phrase, ...]:
    """The phrases of a sentence that stand for persons, in order."""
    phrases: list[Phrase] = []
    for place, word in enumerate(sentence):
        key = word.text.casefold()
        if key not in NOUNS or (phrases and place <= phrases[-1].noun) or _is_compound(sentence, place):
            continue
        start = place
        while start > (phrases[-1].noun + 1 if phrases else 0) and sentence[start - 1].text.casefold() in _BEFORE_NOUNS:
            start -= 1
        phrases.append(_phrase(sentence, start, place, phrases))
    return tuple(phrases)


def count_persons(
    before: Sequence[Word],
    after: Sequence[Word],
    names: Collection[int],
    *,
    named: Count,
    pairs: Sequence[tuple[int, int]],
    phrases: Sequence[Phrase],
) -> tuple[Count, Count]:
    """How many persons a description and its caption mention, without phrases that both share.

    Args: names: places in the description that name somebody; named: how many persons these are (at most, when a
        name said twice may be two); pairs: the words kept, of `word_alignment.align`; phrases: the caption's.
    """
    old_of: Mapping[int, int] = {new: old for old, new in pairs}
    taken_over = {old for old, _ in pairs}
    few, many = named.few, named.many
    for phrase in find_phrases(before):
        if phrase.noun in names or phrase.noun in taken_over or _belongs_to_name(before, phrase, names):
            continue
        few, many = few + phrase.few, many + phrase.many
    new_few = new_many = 0
    said_before = {phrase.noun: phrase for phrase in find_phrases(before)}
    for phrase in phrases:
        old = said_before.get(old_of.get(phrase.noun, -1))
        if old is None:
            new_few, new_many = new_few + phrase.few, new_many + phrase.many
        elif _belongs_to_name(before, old, names):
            new_few, new_many = new_few + 1, new_many + old.many
        else:
            few, many = few + old.stated, many + old.stated
            new_few, new_many = new_few + phrase.stated, new_many + phrase.stated
    return Count(few, many), Count(new_few, new_many)


def persons_pass(before: Count, after: Count) -> bool:
    """Whether a caption may speak of as many persons as its description."""
    return before.few <= after.many and after.few <= before.many


def _phrase(sentence: Sequence[Word], start: int, noun: int, earlier: Sequence[Phrase]) -> Phrase:
    word = sentence[noun].text.casefold()
    modifiers = [sentence[place].text.casefold() for place in range(start, noun)]
    out_of = modifiers[:2] == ["one", "of"]
    numbers = [_NUMBERS[modifier] for modifier in modifiers if modifier in _NUMBERS]
    if out_of:
        few = many = 1
    elif word == "couple":
        few = many = 2
    elif word in PLURAL_NOUNS:
        few, many = (numbers[-1], numbers[-1]) if numbers else (2, MANY)
    else:
        few = many = 1
    stated = few if numbers or word in PLURAL_NOUNS else 1
    known = any(gender_of_noun(phrase.word) == gender_of_noun(word) or phrase.word == "people" for phrase in earlier)
    if out_of or (known and not _KNOWN.isdisjoint(modifiers)):
        few = 0
    return Phrase(start, noun, word, few, many, stated)


def _is_compound(sentence: Sequence[Word], place: int) -> bool:
    """Whether a noun only describes the next one: "police officer", "patient room" (neither is a person twice)."""
    if place + 1 >= len(sentence):
        return False
    following = sentence[place + 1]
    return following.text.casefold() in NOUNS and sentence[place].text.casefold() not in PLURAL_NOUNS


def _belongs_to_name(before: Sequence[Word], phrase: Phrase, names: Collection[int]) -> bool:
    """Whether a noun and a name are one person: "her friend Rachel", "a guy named Bob", "Bob, a doctor" not."""
    after = phrase.noun + 1
    if after < len(before) and before[after].text.casefold() in ("named", "called"):
        after += 1
    return after in names
