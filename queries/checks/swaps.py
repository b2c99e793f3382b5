"""What a caption has in another's place: a man for a woman, subject for object, a wine for a beer. Pure.

The words that both sentences keep cut them into parts that belong together. In each part the persons of the caption
are held against those of the description, and its new words against those that are gone there.
Source: ours, beyond the paper: most of these captions are similar enough, name nobody and keep nine words in ten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from queries.checks.word_alignment import WordAlignment, same_word
from queries.language.kinds_of_things import are_synonyms, may_be_called
from queries.language.parts_of_speech import tag_of
from queries.language.person_details import PRONOUNS, looks_otherwise
from queries.language.person_phrases import ANYBODY, ARTICLES, MANY, Phrase, find_phrases, gender_of_word
from queries.language.words import HE, SHE, Word, word_set

_CONTENT = ("NN", "JJ", "VB")
_TYPO = 0.7
"""How alike a word of no dictionary and what it was meant to be are, at least."""


class Swap(NamedTuple):
    """Something of a description, and what stands in its place."""

    check: str
    """ "gender", "roles" or "words"."""
    before: str
    after: str


@dataclass(slots=True)
class Somebody:
    """Persons of a description that one word or phrase means, as far as these are told."""

    text: str
    gender: str
    """ "man", "woman" or "person", which may be either."""
    number: int = 1
    noun: str = ""
    """What somebody without a name is called, lower-case."""


@dataclass
class _Part:
    """What stands between two words that both sentences keep."""

    old: list[Somebody] = field(default_factory=list)
    new: list[Somebody] = field(default_factory=list)
    gone: list[Word] = field(default_factory=list)
    looks: list[Word] = field(default_factory=list)
    """Of what is gone, what the diverse style may leave out: what somebody without a name wears."""
    added: list[Word] = field(default_factory=list)


def find_swaps(
    before: Sequence[Word],
    after: Sequence[Word],
    named: Mapping[int, Sequence[Somebody]],
    names: Iterable[int],
    laid: WordAlignment,
    *,
    generalises: bool = False,
) -> tuple[Swap, ...]:
    """What a caption has exchanged.

    Args: before, after: words of description and caption; named: who is named in the description, by place; names: all
        places of it that names and titles take; laid: `word_alignment.align` of both; generalises: whether things and
        what somebody wears may be called by more general words.
    """
    names = set(names)
    parts = _parts(before, after, named, names, laid)
    return (
        *_persons(parts, _all_persons(before, named, names)),
        *_moved(before, after, laid),
        *(swap for part in parts for swap in _described(part)),
        *(swap for part in parts for swap in _words(part, generalises=generalises)),
    )


def _parts(
    before: Sequence[Word],
    after: Sequence[Word],
    named: Mapping[int, Sequence[Somebody]],
    names: set[int],
    laid: WordAlignment,
) -> list[_Part]:
    kept = [(old, new) for old, new in laid.pairs if before[old].text.casefold() not in ARTICLES]
    parts = [_Part() for _ in range(len(kept) + 1)]
    old_kept, new_kept = [old for old, _ in kept], [new for _, new in kept]
    matched_old, matched_new = {old for old, _ in laid.pairs}, {new for _, new in laid.pairs}
    lost = set(laid.lost)
    old_phrases = [phrase for phrase in find_phrases(before) if phrase.noun not in matched_old | names]
    new_phrases = [phrase for phrase in laid.phrases if phrase.noun not in matched_new]

    def told(sentence: Sequence[Word], at: int, phrases: Sequence[Phrase]) -> Iterator[Somebody]:
        phrase = next((phrase for phrase in phrases if phrase.noun == at), None)
        key = sentence[at].text.casefold()
        if phrase is not None:
            number = phrase.stated if phrase.few < MANY else 1
            yield Somebody(_text(sentence, phrase), phrase.gender, number, phrase.word)
        elif key in HE | SHE and not _is_either(sentence, at):
            yield Somebody(key, gender_of_word(key))

    for part, places in zip(parts, _between(old_kept, len(before)), strict=True):
        for at in places:
            part.old += named.get(at, ())
            if at not in names and at not in matched_old:
                part.old += told(before, at, old_phrases)
                (part.gone if at in lost else part.looks).append(before[at])
    inside = {place for phrase in new_phrases for place in phrase.places}
    for part, places in zip(parts, _between(new_kept, len(after)), strict=True):
        for at in places:
            if at not in matched_new:
                part.new += told(after, at, new_phrases)
            if at not in matched_new and at not in inside:
                part.added.append(after[at])
    return parts


def _between(kept: Sequence[int], length: int) -> Iterator[range]:
    ends = [-1, *kept, length]
    return (range(left + 1, right) for left, right in pairwise(ends))


def _all_persons(before: Sequence[Word], named: Mapping[int, Sequence[Somebody]], names: set[int]) -> list[Somebody]:
    """Everybody of whom a description speaks, pronouns included, in whatever part."""
    there = [somebody for somebodies in named.values() for somebody in somebodies]
    there += [Somebody(phrase.word, phrase.gender, MANY) for phrase in find_phrases(before) if phrase.noun not in names]
    keys = (word.text.casefold() for word in before)
    return there + [Somebody(key, gender_of_word(key), MANY) for key in keys if key in HE | SHE]


def _persons(parts: Sequence[_Part], everybody: Sequence[Somebody]) -> Iterator[Swap]:
    """Where a caption has men or women whom the same part of its description can't have, or the description at all."""
    wrong = [part for part in parts if part.old and _contradicts(part.old, part.new)]
    old = [somebody for part in parts for somebody in part.old]
    new = [somebody for part in parts for somebody in part.new]
    moved = any(part.old and not part.new for part in parts)
    if wrong and _contradicts(old, new):
        yield from (Swap("gender", _listed(part.old), _listed(part.new)) for part in wrong)
    elif (wrong or _numbers_differ(parts)) and not moved:
        yield Swap("roles", _listed(old), _listed(new))
    if wrong:
        return
    if not everybody:
        return
    for part in parts:
        for somebody in part.new:
            if not part.old and not _may_be(somebody.gender, everybody):
                yield Swap("gender", _listed(everybody[:1]), somebody.text)


def _contradicts(old: Sequence[Somebody], new: Sequence[Somebody]) -> bool:
    either = sum(one.number for one in old if one.gender == "person")
    for gender in ("man", "woman"):
        said = sum(one.number for one in new if one.gender == gender)
        if said > either + sum(one.number for one in old if one.gender == gender):
            return True
    return False


def _numbers_differ(parts: Sequence[_Part]) -> bool:
    """Whether one part has more persons than it should, and another less: "Two men hug her" for "A man hugs them"."""
    there = [part for part in parts if part.old]
    more = [sum(one.number for one in part.new) - sum(one.number for one in part.old) for part in there]
    return sum(more) == 0 and any(more)


def _may_be(gender: str, there: Sequence[Somebody]) -> bool:
    return gender == "person" or any(one.gender in (gender, "person") for one in there)


def _described(part: _Part) -> Iterator[Swap]:
    """A nurse where a doctor was, if nobody named is there, who may be called by a profession."""
    if not part.old or any(not one.noun and one.text not in PRONOUNS for one in part.old):
        return
    nouns = [one.noun for one in part.old if one.noun]
    for one in part.new:
        if one.noun and one.noun not in ANYBODY and nouns and not any(_same(one.noun, noun) for noun in nouns):
            yield Swap("words", nouns[0], one.noun)


def _moved(before: Sequence[Word], after: Sequence[Word], laid: WordAlignment) -> Iterator[Swap]:
    """Verbs and nouns that stand somewhere else: "puts the cup on the table", "puts the table on the cup"."""
    matched_new = {new for _, new in laid.pairs}
    new = [word.text for at, word in enumerate(after) if at not in matched_new and _tells(word)]
    for word in (before[at] for at in laid.lost):
        if _tells(word) and any(word.text.casefold() == other.casefold() for other in new):
            yield Swap("roles", word.text, word.text)


def _words(part: _Part, *, generalises: bool) -> Iterator[Swap]:
    """Nouns, adjectives and verbs that are gone, each with the new one in its place."""
    gone, looks = ([word for word in some if _tells(word)] for some in (part.gone, part.looks))
    for new in filter(_tells, part.added):
        key = new.text.casefold()
        if any(_same(old.text, key) for old in gone + looks):
            continue
        alike = [old for old in gone if tag_of(old.text)[:2] == tag_of(new.text)[:2]] or gone
        old = next(iter(alike), None) or next((old for old in looks if looks_otherwise(old.text, key)), None)
        if old is not None:
            (gone if old in gone else looks).remove(old)
            if not (generalises and may_be_called(_lemmas(old.text.casefold()), key)):
                yield Swap("words", old.text, new.text)


def _tells(word: Word) -> bool:
    """Whether a word is a noun, adjective or verb, or in no dictionary."""
    key = word.text.casefold()
    if not word.text.isalpha() or key in PRONOUNS | _LITTLE | ANYBODY:
        return False
    tag = tag_of(word.text)
    return not tag or tag.startswith(_CONTENT)


_LITTLE = word_set(
    "is are was were be been being am has have had having does do did doing other others another same own one ones "
    "both each few several many more most much first second third last s t"
)


@lru_cache(maxsize=4096)
def _same(left: str, right: str) -> bool:
    """Whether two words are one: inflected, misspelt, or two names of the same."""
    left, right = left.casefold(), right.casefold()
    if same_word(left, right):
        return True
    mine, other = _lemmas(left), _lemmas(right)
    if not mine.isdisjoint(other) or are_synonyms(mine, other):
        return True
    unknown = not tag_of(left) or not tag_of(right)
    return unknown and SequenceMatcher(None, left, right).ratio() >= _TYPO


@lru_cache(maxsize=4096)
def _lemmas(word: str) -> frozenset[str]:
    from lemminflect import getAllLemmas

    return frozenset({word}.union(*getAllLemmas(word).values()))


def _is_either(sentence: Sequence[Word], at: int) -> bool:
    """Whether a pronoun leaves the gender open: "his/her", "he or she"."""
    for step in (-2, 2):
        between, other = at + step // 2, at + step
        if 0 <= other < len(sentence) and sentence[between].text.casefold() in ("/", "or"):
            return sentence[other].text.casefold() in PRONOUNS
    return False


def _text(sentence: Sequence[Word], phrase: Phrase) -> str:
    keys = [sentence[place].text.casefold() for place in phrase.places]
    return " ".join(keys)


def _listed(somebodies: Sequence[Somebody]) -> str:
    return ", ".join(one.text for one in somebodies)
