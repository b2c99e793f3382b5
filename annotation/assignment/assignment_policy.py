"""The assignment policy: which query and which pairs an annotator gets next. Pure.

A pair has as many places as it still needs judgments, and a live seat holds one at each of its pairs, so two people
can never be sent to the same last place.

Nobody may learn a pair's round or rank from how the work comes (rule 7). So a sitting's length has the same law in
both rounds: a second round has its pairs in dispute, and first rounds are given in portions whose sizes are drawn from
the sizes of the collection's second rounds. And whoever meets a query meets it in one stage, where the team is large
enough: a lot deals each query's batches and rounds to different people (`Staffing`). So it says nothing of round or
rank that somebody has, or hasn't, judged a query before.
"""

import hashlib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from queries.language.spoken import knows

USUAL_SIZES = (1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 6, 6, 7)
"""What second rounds have come to where two people differ about 18 pairs in 100, as in the paper: the middles of twenty
equal parts of the binomial distribution of 20 pairs, without 0."""
WHOLE = 6
"""Batches of at most so many pairs are given as a whole."""
SMALLEST_GROUP = 10
"""People who can judge a batch without anybody of its first round in its second, and with some away."""
AT_ONCE = 40
"""From so many first rounds under way with free places on, annotators join one of them before they begin another."""


@dataclass(frozen=True, slots=True)
class PairFacts:
    """One undecided pair of a batch's round.

    `needed` judgments make its round complete; `judges` are the annotators whose judgments count; `holders` those
    whose live seat, taken earlier, holds a place there. It is `ready` when there is a clip to watch, or the collection
    has none, no flag of it waits for the lead, and it suits whoever asks; `content` are its video's kinds.
    """

    pk: int
    public_id: str
    needed: int
    judges: frozenset[int]
    ready: bool = True
    clip: str | None = None
    content: tuple[str, ...] = ()
    holders: frozenset[int] = frozenset()

    @property
    def places(self) -> int:
        """Judgments that nobody has given or holds a place for, >= 0."""
        return max(0, self.needed - len(self.judges | self.holders))


def pairs_for(annotator: int, pairs: Collection[PairFacts]) -> list[PairFacts]:
    """The pairs that an annotator may judge now, in that annotator's own order.

    Args:
        annotator: the annotator's id.
        pairs: the undecided pairs of a seat, or of a batch's current round.

    Nobody judges a pair twice; so in the second round nobody who judged it in the first is asked.
    """
    return [pair for pair in _open_to(annotator, pairs) if pair.ready]


def _open_to(annotator: int, pairs: Collection[PairFacts]) -> list[PairFacts]:
    open_to = [pair for pair in pairs if annotator not in pair.judges and pair.places]
    return sorted(open_to, key=lambda pair: _lot(annotator, pair.public_id))


def portion_for(
    annotator: int, pairs: Sequence[PairFacts], *, in_batch: int, second_round: bool, sizes: Sequence[int], lot: object
) -> list[PairFacts]:
    """The portion of a batch that an annotator gets with a seat there.

    Args:
        pairs: those of the batch's current round.
        in_batch: how many pairs the batch has.
        sizes: how many pairs second rounds of the collection had; USUAL_SIZES where there are too few to know.
        lot: seeds the draw of the size together with the annotator; different each time.
    """
    open_to = pairs_for(annotator, pairs)
    if not open_to:
        return []
    if second_round or in_batch <= WHOLE:
        # Those that wait for a clip or the lead, too: they come when they are ready.
        return _open_to(annotator, pairs)
    known = sizes if len(sizes) >= len(USUAL_SIZES) else (*sizes, *USUAL_SIZES)
    return open_to[: known[_lot(annotator, lot) % len(known)]]


def _lot(*what: object) -> int:
    # Seeded by the annotator: a reload keeps the order, and neither rank nor a partner's order shows in it.
    return int.from_bytes(hashlib.sha256(":".join(map(str, what)).encode()).digest())


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """A batch with work left, as the policy sees it.

    `number` is its place among the batches of `query`; `people` judged or sit there; `visits` says how often the
    asker sat at the query; it has `waited` when those whose turn it is let it wait too long; `reserved`, where it isn't
    empty, are the only ones who may; `barred` never do.
    """

    pk: int
    second_round: bool
    begun: bool
    priority: int = 0
    language: str = ""
    people: frozenset[int] = frozenset()
    reserved: frozenset[int] = frozenset()
    barred: frozenset[int] = frozenset()
    query: int = 0
    number: int = 1
    visits: int = 0
    waited: bool = False


@dataclass(frozen=True, slots=True)
class Staffing:
    """The number of admitted annotators, this one's place among them (0 to below `size`), and batches per query."""

    size: int = 0
    place: int = 0
    batches: int = 1

    def turn(self, batch: OpenBatch) -> bool:
        """Whether it is this annotator's turn at a batch's round: each query's rounds go to different people, by lot.

        A quarter of those of a batch have its second round. Always where the team is too small to be parted.
        """
        if self.size < SMALLEST_GROUP or batch.waited or batch.reserved:
            return True
        groups = max(1, min(self.batches, self.size // SMALLEST_GROUP))
        # Each query deals the team anew, so that everybody meets everybody.
        lot, steps = _lot("team", batch.query), _steps(self.size)
        place = (self.place * steps[lot % len(steps)] + lot // len(steps)) % self.size
        dealt = place * groups * 4 // self.size
        return dealt // 4 == (batch.number - 1) % groups and (dealt % 4 == 3) == batch.second_round


@lru_cache(maxsize=64)
def _steps(size: int) -> tuple[int, ...]:
    """Step widths around a circle of `size` people that reach everybody before anybody twice."""
    return tuple(step for step in range(1, size) if math.gcd(step, size) == 1)


@dataclass(frozen=True, slots=True)
class Asker:
    """The annotator who asks for work: languages read (none: all), batches shared with each partner, the team, kinds of
    content avoided, and years of age."""

    pk: int
    languages: frozenset[str] = frozenset()
    met: Mapping[int, int] = field(default_factory=dict)
    team: Staffing = Staffing()
    avoids: frozenset[str] = frozenset()
    age: int = 0

    def may_see(self, content: Collection[str], minimum_age: int) -> bool:
        """Whether a video suits them, as `suited_sql.SUITED`."""
        return self.age >= minimum_age and self.avoids.isdisjoint(content)


def order_batches(asker: Asker, batches: Collection[OpenBatch]) -> list[OpenBatch]:
    """The batches at which this annotator may take a seat, best first.

    What the lead prioritised comes first; then what it is this one's turn at. Of that: second rounds, so that queries
    get done; then batches that others began, the queries least visited and the partners least met first, so that
    everybody meets everybody; then new ones, those that follow another before all, so that they come at any time and
    not at the end. Queries visited before come after new ones, unless AT_ONCE are under way.
    """
    allowed = [batch for batch in batches if may_judge(asker, batch)]
    turns = {batch.pk: asker.team.turn(batch) for batch in allowed}
    under_way = sum(batch.begun and not batch.second_round for batch in allowed)
    return sorted(
        allowed,
        key=lambda batch: (
            -batch.priority,
            not turns[batch.pk],
            not batch.second_round,
            not batch.begun if under_way >= AT_ONCE else batch.visits,
            batch.visits if under_way >= AT_ONCE else not batch.begun,
            -batch.number if not batch.begun else 0,
            sum(asker.met.get(person, 0) for person in batch.people),
            batch.pk,
        ),
    )


def may_judge(asker: Asker, batch: OpenBatch) -> bool:
    """Whether the lead's assignments and the languages let the asker judge the batch's pairs."""
    if asker.pk in batch.barred or (batch.reserved and asker.pk not in batch.reserved):
        return False
    return not asker.languages or not batch.language or knows(asker.languages, batch.language)
