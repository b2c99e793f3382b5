"""Whether what annotators used beside the picture goes with other grades, and with more agreement. Pure.

It tells what goes together, not what causes it: who is in doubt looks at more. Within a pair, the people who used it
are compared with those who didn't, so that harder pairs weigh on neither side.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

DRAWS = 1000
"""Times that queries are drawn again for an interval of 95 %."""
SEED = 20251


@dataclass(frozen=True, slots=True)
class UsedJudgment:
    """A counted judgment of which it is known: of which query and pair, in which round, its grade, and whether used."""

    query: int
    pair: int
    round: int
    grade: int
    used: bool


@dataclass(frozen=True, slots=True)
class Together:
    """Every two people who judged a pair in the first round: how many twos, the share of these with equal grades, and
    with grades that agree by the collection's rule. None where there are no twos."""

    twos: int
    equal: float | None
    agree: float | None


@dataclass(frozen=True, slots=True)
class EvidenceUse:
    """What goes with the use of one kind of evidence.

    `judgments` of which it is known, of which `used`, with their `share`; the mean grade `with_it` and `without`, over
    all pairs; over the `pairs` that have both, the mean `difference` within a pair, from `low` to `high` (95 %, queries
    drawn again; None with fewer than two queries); agreement where `both`, `one` and `neither` of two used it.
    """

    judgments: int
    used: int
    share: float | None
    with_it: float | None
    without: float | None
    pairs: int
    queries: int
    difference: float | None
    low: float | None
    high: float | None
    both: Together
    one: Together
    neither: Together


def evidence_use(judgments: Iterable[UsedJudgment], *, largest_difference: int) -> EvidenceUse:
    """Compare the judgments that used it with those that didn't.

    Args: largest_difference: grades that differ by at most so much agree.

    >>> one = [UsedJudgment(1, 7, 1, 3, True), UsedJudgment(1, 7, 1, 1, False)]
    >>> found = evidence_use(one, largest_difference=1)
    >>> found.share, found.difference, found.low, found.one.agree
    (0.5, 2.0, None, 0.0)
    """
    rows = list(judgments)
    by_pair: dict[tuple[int, int], list[UsedJudgment]] = defaultdict(list)
    for row in rows:
        by_pair[row.query, row.pair].append(row)
    by_query: dict[int, list[float]] = defaultdict(list)
    twos: dict[int, list[int]] = {0: [], 1: [], 2: []}
    for (query, _), own in by_pair.items():
        used, not_used = ([row.grade for row in own if row.used is value] for value in (True, False))
        if used and not_used:
            by_query[query].append(sum(used) / len(used) - sum(not_used) / len(not_used))
        for one, other in combinations([row for row in own if row.round == 1], 2):
            twos[one.used + other.used].append(abs(one.grade - other.grade))
    differences = [difference for own in by_query.values() for difference in own]
    low, high = _interval(list(by_query.values()))
    return EvidenceUse(
        judgments=len(rows),
        used=sum(row.used for row in rows),
        share=_mean([float(row.used) for row in rows]),
        with_it=_mean([row.grade for row in rows if row.used]),
        without=_mean([row.grade for row in rows if not row.used]),
        pairs=len(differences),
        queries=len(by_query),
        difference=_mean(differences),
        low=low,
        high=high,
        both=_together(twos[2], largest_difference),
        one=_together(twos[1], largest_difference),
        neither=_together(twos[0], largest_difference),
    )


def _mean(values: list[float] | list[int]) -> float | None:
    return sum(values) / len(values) if values else None


def _together(distances: list[int], largest_difference: int) -> Together:
    return Together(
        twos=len(distances),
        equal=_mean([float(distance == 0) for distance in distances]),
        agree=_mean([float(distance <= largest_difference) for distance in distances]),
    )


def _interval(by_query: list[list[float]]) -> tuple[float | None, float | None]:
    """95 % of the means over queries that are drawn again, with all their pairs; the same for the same numbers."""
    if len(by_query) < 2:
        return None, None
    import numpy as np

    sums, sizes = np.array([sum(own) for own in by_query]), np.array([len(own) for own in by_query])
    rng = np.random.default_rng(SEED)
    means = []
    for _draw in range(DRAWS):
        times = np.bincount(rng.integers(0, len(sums), len(sums)), minlength=len(sums))
        means.append(float(times @ sums / (times @ sizes)))
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)
