"""The assignment policy: which query and which pair an annotator gets next. Pure.

A pair has as many places as it still needs judgments. Live seats take them in the order in which they were
taken: an earlier seat's claim goes first, so two people can never be sent to the same last place.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PairFacts:
    """One undecided pair of a batch's round.

    `needed` judgments make its round complete; `judges` are the annotators whose judgments count. It is `ready`
    when there is a clip to watch, or the collection has none, and no flag of it waits for the lead.
    """

    pk: int
    public_id: str
    needed: int
    judges: frozenset[int]
    ready: bool = True
    clip: str | None = None

    @property
    def places(self) -> int:
        """Judgments that it still needs, >= 0."""
        return max(0, self.needed - len(self.judges))


def pairs_for(annotator: int, pairs: Collection[PairFacts], earlier_seats: Sequence[int]) -> list[PairFacts]:
    """The pairs that an annotator may judge now, in that annotator's own order.

    Args:
        annotator: the annotator's id.
        pairs: the undecided pairs of the batch's current round.
        earlier_seats: annotators with a live seat at the batch that was taken before this one's.

    Nobody judges a pair twice; so in the second round nobody who judged it in the first is asked.
    """
    open_to = [
        pair
        for pair in pairs
        if pair.ready
        and annotator not in pair.judges
        and pair.places > sum(other not in pair.judges for other in earlier_seats)
    ]
    return sorted(open_to, key=lambda pair: _shuffled(annotator, pair.public_id))


def _shuffled(annotator: int, public_id: str) -> bytes:
    # Seeded by the annotator: a reload keeps the order, and neither rank nor a partner's order shows in it.
    return hashlib.sha256(f"{annotator}:{public_id}".encode()).digest()


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """A batch with work left, as the policy sees it: `people` judged or sit there; `reserved`, where it isn't
    empty, are the only ones who may; `barred` never do."""

    pk: int
    second_round: bool
    begun: bool
    priority: int = 0
    language: str = ""
    people: frozenset[int] = frozenset()
    reserved: frozenset[int] = frozenset()
    barred: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks for work: the languages read (none: all), and with whom how many batches were shared so far."""

    pk: int
    languages: frozenset[str] = frozenset()
    met: Mapping[int, int] = field(default_factory=dict)


def order_batches(asker: Asker, batches: Collection[OpenBatch]) -> list[OpenBatch]:
    """The batches at which this annotator may sit down, best first.

    What the lead prioritised comes first; then second rounds, so that queries get done; then batches that others
    began, those of the partners least met first, so that everybody meets everybody; then new ones in order.
    """
    return sorted(
        (batch for batch in batches if _may_judge(asker, batch)),
        key=lambda batch: (
            -batch.priority,
            not batch.second_round,
            not batch.begun,
            sum(asker.met.get(person, 0) for person in batch.people),
            batch.pk,
        ),
    )


def _may_judge(asker: Asker, batch: OpenBatch) -> bool:
    if asker.pk in batch.barred or (batch.reserved and asker.pk not in batch.reserved):
        return False
    return not asker.languages or not batch.language or _reads(asker.languages, batch.language)


def _reads(languages: frozenset[str], language: str) -> bool:
    # "de" reads "de-AT": a tag covers the narrower ones (BCP 47, RFC 4647 basic filtering).
    wanted = language.lower()
    return any(wanted == one.lower() or wanted.startswith(one.lower() + "-") for one in languages)
