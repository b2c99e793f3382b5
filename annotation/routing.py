"""Who is given which pair next. Pure: facts in, pair ids out; no clock, no database.

A pair has as many places as it still needs judgments. Live seats take them in the order in which they were
taken: an earlier seat's claim goes first, so two people can never be sent to the same last place.
"""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from annotation.consensus import BOTH_ROUNDS, FIRST_ROUND


@dataclass(frozen=True, slots=True)
class PairFacts:
    """One pair of a batch: `judges` are the annotators whose judgments count; `watchable` if there is a clip to see
    or the collection has none."""

    pk: int
    public_id: str
    disputed: bool
    judges: frozenset[int]
    watchable: bool = True

    @property
    def places(self) -> int:
        """Judgments that it still needs, >= 0."""
        return max(0, (BOTH_ROUNDS if self.disputed else FIRST_ROUND) - len(self.judges))


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
        if pair.watchable
        and annotator not in pair.judges
        and pair.places > sum(other not in pair.judges for other in earlier_seats)
    ]
    return sorted(open_to, key=lambda pair: _shuffled(annotator, pair.public_id))


def _shuffled(annotator: int, public_id: str) -> bytes:
    # Seeded by the annotator: a reload keeps the order, and neither rank nor a partner's order shows in it.
    return hashlib.sha256(f"{annotator}:{public_id}".encode()).digest()
