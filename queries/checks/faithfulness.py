"""Faithfulness: a caption keeps the words beside the names and the number of persons. Pure.

Source: ours, beyond the paper. "Amy is driving Leonard somewhere in her car." became "A woman is driving a car.":
similar enough, nobody named, and yet another scene.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from queries.checks.word_alignment import align
from queries.language.lexicon import Lexicon
from queries.language.mentions import Mention, find_mentions
from queries.language.name_tagger import NameSpan
from queries.language.people import People
from queries.language.person_phrases import Count, count_persons, persons_pass
from queries.language.words import Word, words


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """How much of its description a caption kept, and what replaced the names."""

    ratio: float
    """Of `queries.checks.word_alignment.align`."""
    name_places: tuple[int, ...]
    """Places of the description's words that name persons, titles included."""
    persons_before: int
    persons_after: int
    """How many persons each speaks of; where a text leaves that open, the number nearest to the other's."""
    persons_passed: bool
    replacements: tuple[str, ...]
    """The nouns that stand in the names' place, in order, lower-case: "man", "women"."""
    words_replaced: int
    """Words of the description that the caption hasn't any more, names and titles and all."""


def compare(description: str, caption: str, spans: Sequence[NameSpan], lexicon: Lexicon) -> Faithfulness:
    """Align a caption with its description.

    Args: spans: what the tagger found in the description; lexicon: who is who in its collection.
    """
    before, after = words(description), words(caption)
    mentions = find_mentions(before, spans, lexicon, bold=False)
    names = _places(before, mentions)
    laid = align(before, after, names)
    counted = count_persons(
        before, after, names, named=_named(before, mentions, lexicon), pairs=laid.pairs, phrases=laid.phrases
    )
    kept = {new for _, new in laid.pairs}
    old, new = counted
    return Faithfulness(
        ratio=laid.ratio,
        name_places=tuple(sorted(names)),
        persons_before=old.nearest(new.few),
        persons_after=new.nearest(old.few),
        persons_passed=persons_pass(old, new),
        replacements=tuple(phrase.word for phrase in laid.phrases if phrase.noun not in kept),
        words_replaced=len(names) + len(laid.lost),
    )


def _places(before: Sequence[Word], mentions: Sequence[Mention]) -> set[int]:
    names = {place for mention in mentions for place in range(mention.first, mention.end + 1) if before[place].is_word}
    for mention in mentions:
        couple = _couple_at(before, mention)
        if couple is not None:
            names |= {place for place in range(couple, mention.first) if before[place].is_word}
    return names


def _couple_at(before: Sequence[Word], mention: Mention) -> int | None:
    """Where "Mr. and Mrs. Kopek" starts, which is one mention of two persons."""
    if mention.title not in ("mrs", "ms", "miss"):
        return None
    keys = [word.text.casefold() for word in before[max(0, mention.first - 3) : mention.first]]
    if keys[-3:] == ["mr", ".", "and"] or keys[-2:] == ["mr", "and"]:
        return mention.first - (3 if keys[-2] == "." else 2)
    return None


def _named(before: Sequence[Word], mentions: Sequence[Mention], lexicon: Lexicon) -> Count:
    """The number of persons named: at least the distinct names, at most one per mention; "the Gellers" is many."""
    people = People(before, mentions, lexicon)
    distinct = len({id(people.of(mention)) for mention in mentions})
    couples = sum(_couple_at(before, mention) is not None for mention in mentions)
    plural = any(mention.plural for mention in mentions)
    return Count(distinct + couples, 99 if plural else len(mentions) + couples)
