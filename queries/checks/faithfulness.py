"""Faithfulness: a caption keeps the words other than names, and the number of persons. Pure.

Source: ours, beyond the paper. "Amy is driving Leonard somewhere in her car." became "A woman is driving a car.":
similar enough, nobody named, and yet another scene.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from queries.checks.swaps import Somebody, Swap, find_swaps
from queries.checks.word_alignment import WordAlignment, align
from queries.language.lexicon import Lexicon
from queries.language.mentions import Mention, find_mentions
from queries.language.name_tagger import NameSpan
from queries.language.people import People, sure_gender
from queries.language.person_phrases import ARTICLES, MANY, Count, count_persons, persons_pass
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
    """The words that stand in the names' place, in order, lower-case, articles left out: "two", "other", "men"."""
    words_replaced: int
    """Words of the description that the caption hasn't any more, names and titles and all."""
    swaps: tuple[Swap, ...] = ()
    """What stands in another's place."""

    def passes(self, check: str) -> bool:
        """Whether nothing of a kind was exchanged: "gender", "roles" or "words"."""
        return all(swap.check != check for swap in self.swaps)


def compare(
    description: str, caption: str, spans: Sequence[NameSpan], lexicon: Lexicon, *, generalises: bool = False
) -> Faithfulness:
    """Align a caption with its description.

    Args: spans: what the tagger found in the description; lexicon: who is who in its collection; generalises:
        whether persons without a name may become more general, too, as in the diverse style.
    """
    before, after = words(description), words(caption)
    mentions = find_mentions(before, spans, lexicon, bold=False)
    people = People(before, mentions, lexicon)
    names = _places(before, mentions)
    laid = align(before, after, names, generalises=generalises)
    counted = count_persons(before, after, names, named=_named(before, people), pairs=laid.pairs, phrases=laid.phrases)
    old, new = counted
    # "He" may stand for one who is spoken of elsewhere or for another, "they" for any number.
    pronouns = [after[place].text.casefold() for place in laid.pronouns]
    new = Count(new.few, new.many + sum(MANY if key.startswith("the") else 1 for key in pronouns))
    return Faithfulness(
        ratio=laid.ratio,
        name_places=tuple(sorted(names)),
        persons_before=old.nearest(new.few),
        persons_after=new.nearest(old.few),
        persons_passed=persons_pass(old, new),
        replacements=_replacements(after, laid),
        words_replaced=len(names) + len(laid.lost),
        swaps=find_swaps(before, after, _who(before, mentions, lexicon), names, laid, generalises=generalises),
    )


def _replacements(after: Sequence[Word], laid: WordAlignment) -> tuple[str, ...]:
    """Every word of a phrase or pronoun that stands for somebody named, as Table 3 of the paper counts them."""
    kept_places = {new for _, new in laid.pairs}
    phrases = [phrase for phrase in laid.phrases if phrase.noun not in kept_places]
    new = {place for phrase in phrases for place in phrase.places} | set(laid.pronouns)
    keys = [after[place].text.casefold() for place in sorted(new - kept_places) if after[place].is_word]
    return tuple(key for key in keys if key not in ARTICLES and key != "of")


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


def _named(before: Sequence[Word], people: People) -> Count:
    """The number of persons named: at least the distinct names, at most one per mention; "the Gellers" is many."""
    mentions = people.mentions
    distinct = len({id(people.of(mention)) for mention in mentions})
    couples = sum(_couple_at(before, mention) is not None for mention in mentions)
    plural = any(mention.plural for mention in mentions)
    return Count(distinct + couples, MANY if plural else len(mentions) + couples)


def _who(before: Sequence[Word], mentions: Sequence[Mention], lexicon: Lexicon) -> dict[int, list[Somebody]]:
    """Who is named, by the place of the name, with the genders that are sure."""
    named: dict[int, list[Somebody]] = {}
    for mention in mentions:
        text = " ".join(word.text for word in before[mention.name_at : mention.last + 1])
        gender = "person" if mention.plural else sure_gender(mention, lexicon)
        named[mention.name_at] = [Somebody(text, gender, MANY if mention.plural else 1)]
        if _couple_at(before, mention) is not None:
            named[mention.name_at].append(Somebody(text, "man"))
    return named
