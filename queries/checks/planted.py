"""Captions made wrong on purpose, each in one declared way, to measure what the checks refuse. Pure."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from queries.checks.word_alignment import align
from queries.language.kinds_of_things import alike
from queries.language.lexicon import Lexicon, looks_like_verb
from queries.language.mentions import Mention, find_mentions
from queries.language.name_tagger import NameSpan
from queries.language.parts_of_speech import tag_of
from queries.language.person_phrases import ANYBODY, NOUNS, PLURAL_NOUNS, Phrase, find_phrases
from queries.language.words import Word, word_set, words

_BE = word_set("is are was were")
_DETERMINERS = word_set("a an the his her their")
_ENDS_NOUNS = word_set("and while as with to at in on from for by of off into onto before after when then that")
_PARTS_CLAUSES = word_set("and or but while as when then who that which , . ; : ! ? \" '")
_NO_QUALITIES = word_set("other another same own few several many more most much first second third fourth last next")
_OTHER_GENDER = dict(
    pair.split("/")
    for line in (
        "man/woman men/women guy/girl guys/girls boy/girl boys/girls gentleman/lady gentlemen/ladies male/female "
        "husband/wife father/mother dad/mom son/daughter brother/sister boyfriend/girlfriend uncle/aunt he/she him/her "
        "his/her himself/herself"
    ).split()
    for pair in (line, "/".join(reversed(line.split("/"))))
)
_PLURALS = {"man": "men", "woman": "women", "person": "people", "child": "children", "lady": "ladies"}
_NUMBERS = ("one", "two", "three", "four", "five", "six")
_OF_MANY = {"is": "are", "was": "were", "has": "have"}


@dataclass(frozen=True, slots=True)
class Planted:
    """A caption that is wrong in the way that its kind, one of `KINDS`, says."""

    kind: str
    caption: str


@dataclass(frozen=True, slots=True)
class Material:
    """What wrong captions are made of: a collection's lexicon, and words and whole captions of others."""

    lexicon: Lexicon
    captions: Sequence[str]
    nouns: Sequence[str]
    adjectives: Sequence[str]
    doing: Sequence[str]
    """Verbs in -ing."""
    does: Sequence[str]
    """Verbs of the third person."""


def learn_material(captions: Iterable[str], lexicon: Lexicon) -> Material:
    """What these captions offer to make others wrong with."""
    captions = sorted(set(captions))
    pools: dict[str, set[str]] = {"nouns": set(), "adjectives": set(), "doing": set(), "does": set()}
    for caption in captions:
        sentence = words(caption)
        pools["nouns"].update(sentence[place].text for place in _things(sentence))
        pools["adjectives"].update(sentence[place].text for place in _qualities(sentence))
        verb = _verb(sentence)
        if verb is not None:
            pools["doing" if _is_doing(sentence[verb]) else "does"].add(sentence[verb].text)
    return Material(lexicon, captions, **{name: sorted(pool) for name, pool in pools.items()})


def planted(
    description: str, caption: str, spans: Sequence[NameSpan], material: Material, seed: int
) -> Iterator[Planted]:
    """Wrong captions of a right one, at most one of each of `KINDS`; a kind that can't be made of it makes none.

    Args: spans: what the tagger found in the description; seed: with the caption it decides what is chosen, whatever
        else is planted before or after.
    """
    for kind, make in _MAKERS.items():
        case = _Case(description, caption, spans, material, random.Random(f"{seed} {kind} {caption}"))
        wrong = make(case)
        if wrong is not None and wrong != caption:
            yield Planted(kind, wrong)


@dataclass
class _Case:
    description: str
    caption: str
    spans: Sequence[NameSpan]
    material: Material
    chance: random.Random

    @cached_property
    def sentence(self) -> list[Word]:
        return words(self.caption)

    @cached_property
    def before(self) -> list[Word]:
        return words(self.description)

    @cached_property
    def mentions(self) -> list[Mention]:
        return find_mentions(self.before, self.spans, self.material.lexicon, bold=False)

    @cached_property
    def phrases(self) -> list[Phrase]:
        """The caption's phrases that stand where the description has a name."""
        names = {place for mention in self.mentions for place in range(mention.first, mention.end + 1)}
        laid = align(self.before, self.sentence, names)
        kept = {new for _, new in laid.pairs}
        return [phrase for phrase in laid.phrases if phrase.noun not in kept]

    def with_words(self, changes: dict[int, str]) -> str:
        """The caption with the words at these places replaced; an empty one goes with the space before it."""
        text = self.caption
        for place in sorted(changes, reverse=True):
            word, new = self.sentence[place], changes[place]
            if word.is_capitalised and word.opens:
                new = new[:1].upper() + new[1:]
            start = word.start
            if not new and start and text[start - 1] == " ":
                start -= 1
            text = text[:start] + new + text[word.end :]
        return text

    def with_phrases(self, changes: dict[Phrase, str]) -> str:
        """The caption with whole phrases replaced."""
        by_place: dict[int, str] = {}
        for phrase, new in changes.items():
            by_place |= {place: "" for place in phrase.places} | {phrase.start: new}
        return self.with_words(by_place)

    def text_of(self, phrase: Phrase) -> str:
        first, last = self.sentence[phrase.start], self.sentence[phrase.noun]
        text = self.caption[first.start : last.end]
        return text[:1].lower() + text[1:] if first.opens else text


def _name_left(case: _Case) -> str | None:
    if not case.mentions or not case.phrases:
        return None
    mention, phrase = case.chance.choice(case.mentions), case.chance.choice(case.phrases)
    name = case.description[case.before[mention.name_at].start : case.before[mention.last].end]
    return case.with_phrases({phrase: name})


def _other_gender(case: _Case) -> str | None:
    """A woman for a man who was named, and "her" for "his" where no other man is spoken of."""
    gendered = [phrase for phrase in case.phrases if phrase.word in _OTHER_GENDER]
    if not gendered:
        return None
    phrase = case.chance.choice(gendered)
    places = [phrase.noun]
    if sum(other.gender == phrase.gender for other in find_phrases(case.sentence)) == 1:
        pronouns = word_set("he his him himself") if phrase.gender == "man" else word_set("she her herself")
        places += [place for place, word in enumerate(case.sentence) if word.text.casefold() in pronouns]
    return case.with_words({place: _OTHER_GENDER[case.sentence[place].text.casefold()] for place in places})


def _roles(case: _Case) -> str | None:
    """The one before and the one behind a verb exchanged: "A man slaps a woman" for "A woman slaps a man"."""
    phrases = find_phrases(case.sentence)
    pairs = [
        (first, second)
        for first, second in pairwise(phrases)
        if _differ(first, second)
        and case.sentence[second.start].text != "of"
        and _acts_on(case.sentence[first.noun + 1 : second.start])
        and {first, second} & set(case.phrases)
    ]
    if not pairs:
        return None
    first, second = case.chance.choice(pairs)
    return case.with_phrases({first: case.text_of(second), second: case.text_of(first)})


def _differ(first: Phrase, second: Phrase) -> bool:
    """Whether it is wrong to take the one for the other: "a person" may be the woman of "a woman"."""
    if first.stated != second.stated:
        return True
    told = first.gender != "person" and second.gender != "person"
    return first.gender != second.gender if told else first.word not in ANYBODY and second.word not in ANYBODY


def _acts_on(between: Sequence[Word]) -> bool:
    """Whether what stands between two persons is a verb, or one with its preposition: "slaps", "is looking at"."""
    keys = [word.text.casefold() for word in between]
    if not 0 < len(keys) < 5 or not _PARTS_CLAUSES.isdisjoint(keys) or between[0].is_possessive:
        return False
    return any(tag_of(key).startswith("VB") for key in keys)


def _other_noun(case: _Case) -> str | None:
    return _exchanged(case, _things(case.sentence), case.material.nouns)


def _other_adjective(case: _Case) -> str | None:
    return _exchanged(case, _qualities(case.sentence), case.material.adjectives)


def _exchanged(case: _Case, places: Sequence[int], pool: Sequence[str]) -> str | None:
    """One of these words replaced by one like it, or by any of the pool with the same tag."""
    if not places:
        return None
    place = case.chance.choice(places)
    key = case.sentence[place].text
    other = _other(alike(key), case) or _other([word for word in pool if tag_of(word) == tag_of(key)], case)
    if other is None:
        return None
    changes = {place: other}
    article = case.sentence[place - 1].text.casefold()
    if article in ("a", "an"):
        changes[place - 1] = "an" if other[0] in "aeiou" else "a"
    return case.with_words(changes)


def _other_action(case: _Case) -> str | None:
    place = _verb(case.sentence)
    if place is None:
        return None
    doing = _is_doing(case.sentence[place])
    other = _other(case.material.doing if doing else case.material.does, case)
    return None if other is None else case.with_words({place: other})


def _negation(case: _Case) -> str | None:
    place = _verb(case.sentence)
    if place is None:
        return None
    verb = case.sentence[place]
    return case.with_words({place: f"not {verb.text}" if _is_doing(verb) else f"doesn't {verb.text.removesuffix('s')}"})


def _other_number(case: _Case) -> str | None:
    """One person more, or one of "two men" less; the verb behind goes with it."""
    phrases = [phrase for phrase in case.phrases if _counted(case, phrase) is not None]
    if not phrases:
        return None
    phrase = case.chance.choice(phrases)
    count = _counted(case, phrase) or 1
    number = count + 1 if count < 3 else case.chance.choice((count - 1, count + 1))
    noun = phrase.word if phrase.word in PLURAL_NOUNS else _PLURALS.get(phrase.word, f"{phrase.word}s")
    wrong = {place: "" for place in phrase.places} | {phrase.start: f"{_NUMBERS[number - 1]} {noun}"}
    after = phrase.noun + 1
    if count == 1 and after < len(case.sentence) and case.sentence[after].text in _OF_MANY:
        wrong[after] = _OF_MANY[case.sentence[after].text]
    return case.with_words(wrong)


def _counted(case: _Case, phrase: Phrase) -> int | None:
    """How many "two men" or "a man" are; None for "people", "the man", "one of the men" and more than five."""
    before = [case.sentence[place].text.casefold() for place in range(phrase.start, phrase.noun)]
    if phrase.word not in PLURAL_NOUNS:
        return 1 if before in (["a"], ["an"]) else None
    return _NUMBERS.index(before[0]) + 1 if len(before) == 1 and before[0] in _NUMBERS[1:5] else None


def _half(case: _Case) -> str | None:
    spoken = [word for word in case.sentence if word.is_word]
    return f"{case.caption[: spoken[(len(spoken) - 1) // 2].end]}." if len(spoken) > 3 else None


def _unrelated(case: _Case) -> str | None:
    others = case.material.captions
    other = case.chance.choice(others) if others else case.caption
    return None if other == case.caption else other


_MAKERS: dict[str, Callable[[_Case], str | None]] = {
    "name left": _name_left,
    "gender": _other_gender,
    "roles": _roles,
    "noun": _other_noun,
    "adjective": _other_adjective,
    "action": _other_action,
    "negation": _negation,
    "number": _other_number,
    "dropped": _half,
    "unrelated": _unrelated,
}
KINDS = tuple(_MAKERS)
"""In which ways a caption is wrong: somebody is named, of another gender, has another's part in what is done; another
thing, quality or action; a negation; a person too few or many; half of it dropped; another description's caption."""


def _is_doing(word: Word) -> bool:
    return word.text.endswith("ing")


def _verb(sentence: Sequence[Word]) -> int | None:
    """The place of the first verb behind a person: "is walking", "walks"."""
    for place in range(1, len(sentence)):
        before, key = sentence[place - 1].text.casefold(), sentence[place].text
        if before in _BE and key.endswith("ing"):
            return place
        third = key.islower() and key.endswith("s") and looks_like_verb(key) and key not in _BE | {"has"}
        if before in NOUNS and third:
            return place
    return None


def _things(sentence: Sequence[Word]) -> list[int]:
    """The places of the nouns that stand for things: "the door", "a glass"."""
    return [place for place in range(1, len(sentence)) if _is_thing(sentence, place)]


def _is_thing(sentence: Sequence[Word], place: int) -> bool:
    key, before = sentence[place].text, sentence[place - 1].text.casefold()
    after = sentence[place + 1].text.casefold() if place + 1 < len(sentence) else "."
    is_noun = key.isalpha() and key.islower() and key not in NOUNS and tag_of(key) in ("NN", "NNS")
    begins = before in _DETERMINERS or tag_of(before) == "JJ"
    return is_noun and begins and (not after.isalpha() or after in _ENDS_NOUNS)


def _qualities(sentence: Sequence[Word]) -> list[int]:
    """The places of the adjectives before a noun: "a red dress", "the old man"."""
    return [
        place
        for place, (word, noun) in enumerate(pairwise(sentence))
        if word.text.isalpha() and word.text.islower() and tag_of(word.text) == "JJ"
        and word.text not in _NO_QUALITIES and tag_of(noun.text) in ("NN", "NNS")
    ]  # fmt: skip


def _other(pool: Sequence[str], case: _Case) -> str | None:
    there = {word.text for word in (*case.sentence, *case.before)}
    others = [word for word in pool if word not in there]
    return case.chance.choice(others) if others else None
