"""Align a caption's words with its description's. Pure.

A rewriter may put "a man" where a name stood and must leave everything else alone. Words match when they are
equal but for case, or one's inflection is the other's ("was", "were": two men need another verb than Ross does).
Source: ours; the paper has no such check.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from queries.language.person_details import PRONOUNS, details_after
from queries.language.person_phrases import ARTICLES, Phrase, find_phrases
from queries.language.words import Word, word_set

KEPT_THRESHOLD = 0.85
"""On 7,423 TVR descriptions 99.99 % of what the rules write reaches it; with a word of it dropped 78 % still do, with
two words 26 %, three 4 %, half the sentence none. A person left out is the persons' count to see."""

MOST_ADJECTIVES = 2
"""Those that may go with a person: "the tall bearded man"."""

_INTRODUCES_NAMES = word_set("named called both")
_NEGATIONS = word_set("not no never nobody nothing none neither nor without cannot")
_BE = word_set("is are was were am be been being")
_HAVE = word_set("has have had")
_DO = word_set("does do did")
_JOINS = word_set("and or")


@dataclass(frozen=True, slots=True)
class WordAlignment:
    """Which words of a description its caption keeps, in the same order."""

    pairs: tuple[tuple[int, int], ...]
    """(place in the description, place in the caption) of the words kept, both growing."""
    lost: tuple[int, ...]
    """Places in the description of words that should have been kept and were not."""
    added: tuple[int, ...]
    """Places in the caption of words that stand for nobody and were not there before."""
    phrases: tuple[Phrase, ...]
    """The phrases of the caption that stand for persons, those it took over from the description included."""
    ratio: float
    """Kept words as a share of those that should be: of the description's or of the caption's, whichever are more.

    0 where a negation came or went: one word then makes it another scene.
    """
    pronouns: tuple[int, ...] = ()
    """Places in the caption of new words like "they" and "her", where these may stand for somebody."""


def align(
    before: Sequence[Word], after: Sequence[Word], names: Collection[int], *, generalises: bool = False
) -> WordAlignment:
    """Align a caption with its description.

    Args: before, after: their words; names: places in the description that name persons, titles included; these
        are expected to go; generalises: whether persons without a name may become more general, too: what they are
        called and wear may go, and a pronoun may stand for them (Table 2 of the paper).
    Returns: a ratio in [0, 1]; 1.0 where there was nothing to keep and nothing was added.
    """
    phrases, old_phrases = find_phrases(after), find_phrases(before)
    old_persons = set(names) | {place for phrase in old_phrases for place in phrase.places}
    new_persons = {place for phrase in phrases for place in phrase.places}
    joins = _joins(after, new_persons)
    old_joins = _joins(before, old_persons)
    free = [place for place in range(len(before)) if _should_stay(before, place, names) and place not in old_joins]
    words_after = [place for place, word in enumerate(after) if word.is_word and place not in joins]
    pairs = _longest_common(before, free, after, words_after)
    matched = {new for _, new in pairs}
    excused = {place for phrase in phrases if phrase.noun not in matched for place in phrase.places}
    articles = {place for place in words_after if after[place].text.casefold() in ARTICLES}
    kept_pairs = tuple((old, new) for old, new in pairs if before[old].text.casefold() not in ARTICLES)
    gone = _without_articles(before, free) - {old for old, _ in kept_pairs}
    pronouns: set[int] = set()
    if generalises:
        gone -= _generalised(before, names, old_phrases, gone)
        pronouns = {place for place in set(words_after) - matched - excused if after[place].text.casefold() in PRONOUNS}
    lost = tuple(sorted(gone))
    added = tuple(sorted(set(words_after) - matched - excused - articles - pronouns))
    most = len(kept_pairs) + max(len(lost), len(added))
    ratio = len(kept_pairs) / most if most else 1.0
    if any(_negates(before[place]) for place in lost) or any(_negates(after[place]) for place in added):
        ratio = 0.0
    return WordAlignment(tuple(pairs), lost, added, phrases, ratio, tuple(sorted(pronouns)))


def _generalised(
    before: Sequence[Word], names: Collection[int], phrases: Sequence[Phrase], gone: Collection[int]
) -> set[int]:
    """Of the words that are gone, those that only told which person was meant: "the tall man wearing a hat"."""
    allowed: set[int] = set()
    for phrase in phrases:
        start = phrase.start
        while phrase.start == phrase.noun and start > phrase.noun - MOST_ADJECTIVES and start - 1 in gone:
            start -= 1
        allowed.update(range(start, details_after(before, phrase.noun) + 1))
    for place in names:
        allowed.update(range(place + 1, details_after(before, place) + 1))
    return allowed & set(gone)


def changed_words(before: Sequence[Word], after: Sequence[Word]) -> tuple[set[int], set[int]]:
    """Positions of the words that differ, in the description and in the caption, for highlighting."""
    all_before = [place for place, word in enumerate(before) if word.is_word]
    all_after = [place for place, word in enumerate(after) if word.is_word]
    pairs = _longest_common(before, all_before, after, all_after)
    return set(all_before) - {old for old, _ in pairs}, set(all_after) - {new for _, new in pairs}


def kept_passes(ratio: float, threshold: float = KEPT_THRESHOLD) -> bool:
    """Whether enough of a description was kept: >= threshold."""
    return ratio >= threshold


def same_word(left: str, right: str) -> bool:
    """Whether two words are one but for case and inflection: "walks" and "walk", "was" and "were"."""
    left, right = left.casefold(), right.casefold()
    if left == right:
        return True
    for irregular in (_BE, _HAVE, _DO):
        if left in irregular:
            return right in irregular
    return len(left) > 2 and len(right) > 2 and not _stems(left).isdisjoint(_stems(right))


def _stems(word: str) -> set[str]:
    """Candidate stems of a third-person form: "carries" may be "carry", "pushes" may be "push"."""
    stems = {word}
    if word.endswith("ies"):
        stems.add(word[:-3] + "y")
    if word.endswith("es"):
        stems.add(word[:-2])
    if word.endswith("s") and not word.endswith("ss"):
        stems.add(word[:-1])
    return stems


def _negates(word: Word) -> bool:
    key = word.text.casefold()
    return key in _NEGATIONS or key.endswith(("n't", "n’t"))


def _should_stay(before: Sequence[Word], place: int, names: Collection[int]) -> bool:
    word = before[place]
    if not word.is_word or place in names:
        return False
    return not (word.text.casefold() in _INTRODUCES_NAMES and place + 1 in names)


def _joins(sentence: Sequence[Word], persons: Collection[int]) -> set[int]:
    """Positions of "and" between two persons, which may vanish where they become "two men"."""
    places = set()
    for place, word in enumerate(sentence):
        if word.text.casefold() in _JOINS and place + 1 in persons:
            left = place - 1
            while left >= 0 and not sentence[left].is_word:
                left -= 1
            if left in persons:
                places.add(place)
    return places


def _without_articles(sentence: Sequence[Word], places: Sequence[int]) -> set[int]:
    return {place for place in places if sentence[place].text.casefold() not in ARTICLES}


def _longest_common(
    before: Sequence[Word], old: Sequence[int], after: Sequence[Word], new: Sequence[int]
) -> list[tuple[int, int]]:
    """The longest sequence of same words among the given places; articles weigh less than any other word."""
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    same = [[_weight(before[i].text, after[j].text) for j in new] for i in old]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            skip = max(best[i + 1][j], best[i][j + 1])
            best[i][j] = max(skip, best[i + 1][j + 1] + same[i][j]) if same[i][j] else skip
    pairs = []
    i = j = 0
    while i < len(old) and j < len(new):
        if same[i][j] and best[i][j] == best[i + 1][j + 1] + same[i][j]:
            pairs.append((old[i], new[j]))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _weight(left: str, right: str) -> float:
    """The weight of a pair of aligned words: equal ones more than inflected ones, articles almost nothing."""
    if not same_word(left, right):
        return 0.0
    if left.casefold() in ARTICLES:
        return 0.015625
    return 1.0 if left.casefold() == right.casefold() else 0.9375
