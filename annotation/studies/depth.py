"""Is the judged depth enough? Figures of a depth study (appendix B.3). Pure."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.judgments.grade_classes import class_count, class_of

RELEVANT_FROM = 1
"""A moment counts as relevant from this grade on, as in the paper (sections 3.4 and B.3: relevance 1 to 4)."""
BIN, WIDE_BIN = 10, 20
AT_RANDOM = "random"
RESAMPLES, SEED, LEVEL = 1000, 20_240_615, 0.95


@dataclass(frozen=True, slots=True)
class GradedMoment:
    """A decided grade: of which query (its position from 1), at which rank in the whole pool, at which similarity.

    Ranks beyond the study's depth are those of moments at random.
    """

    query: int
    rank: int
    grade: int
    similarity: float = 0.0


@dataclass(frozen=True, slots=True)
class RankRange:
    """Some ranks, or what was drawn at random: moments graded there, by grade, and what these say.

    `counts` are of classes of grades (`grade_classes`), `mean` is a grade and `relevant` 0-1; None where nothing is
    graded.
    """

    name: str
    counts: list[int]
    mean: float | None
    relevant: float | None

    @property
    def graded(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class QueryDepth:
    """One query: its position and text, and for each wide stretch how many are relevant and how many graded."""

    query: int
    text: str
    relevant: list[int]
    graded: list[int]


@dataclass(frozen=True, slots=True)
class DepthStudy:
    """What a depth study shows.

    `moments` are the decided grades, up to rank `ranked` all and beyond at random. `within` of `found` relevant
    moments lie at ranks up to `depth`, `deeper` further down among the ranked ones, and `at_random` among those at
    random. `low` and `high` enclose the share that lies within: the middle 95 % of the shares of resampled queries;
    None with fewer than two queries that have a relevant moment.

    `weighted` is the share where each moment counts by its chance to be judged: 1 for a ranked one, and for one at
    random (pool - ranked) / those graded at random of its query. `stands_for` is the mean of the latter over the
    relevant ones; None where none of these was found. Queries without a grade at random are left out.
    Source: Horvitz and Thompson, A generalization of sampling without replacement from a finite universe (1952).
    """

    depth: int
    ranked: int
    moments: list[GradedMoment]
    queries: int
    stretches: list[RankRange]
    wide: list[str]
    by_query: list[QueryDepth]
    found: int
    within: int
    deeper: int
    at_random: int
    queries_deeper: int
    """Queries with a relevant moment beyond `depth`, ranked or at random."""
    low: float | None
    high: float | None
    pool: int | None
    stands_for: float | None
    weighted: float | None
    weighted_low: float | None
    weighted_high: float | None
    top_grade: int = 4

    @property
    def share(self) -> float | None:
        return self.within / self.found if self.found else None


def depth_study(
    moments: Iterable[GradedMoment],
    texts: Sequence[str],
    *,
    ranked: int,
    depth: int,
    top_grade: int,
    pool: int | None = None,
) -> DepthStudy:
    """All that the figures show.

    Args:
        moments: the decided grades.
        texts: those of the queries, by position.
        ranked: up to this rank moments were ranked; later ranks are at random.
        depth: to which the collection itself is judged.
        pool: how many moments there are, ranked and others; None: nothing is weighted.
    """
    rows = list(moments)
    wide = [*names_of(ranked, WIDE_BIN), AT_RANDOM]
    by_query = []
    for position, text in enumerate(texts, start=1):
        own = [row for row in rows if row.query == position]
        graded = Counter(_name(row.rank, ranked, WIDE_BIN) for row in own)
        relevant = Counter(_name(row.rank, ranked, WIDE_BIN) for row in own if row.grade >= RELEVANT_FROM)
        by_query.append(QueryDepth(position, text, [relevant[name] for name in wide], [graded[name] for name in wide]))
    relevant_rows = [row for row in rows if row.grade >= RELEVANT_FROM]
    within = [row for row in relevant_rows if row.rank <= min(depth, ranked)]
    at_random = sum(row.rank > ranked for row in relevant_rows)
    of_query = Counter(row.query for row in within)
    low, high = _interval(of_query, Counter(row.query for row in relevant_rows))
    graded_at_random = Counter(row.query for row in rows if row.rank > ranked)
    # A moment stands for itself at least: the pool may have shrunk since.
    weights = {} if pool is None else {q: max(1.0, (pool - ranked) / n) for q, n in graded_at_random.items()}
    weighted: defaultdict[int, float] = defaultdict(float)
    for row in relevant_rows:
        if row.query in weights:
            weighted[row.query] += weights[row.query] if row.rank > ranked else 1
    of_weighted = {query: of_query[query] for query in weighted}
    weighted_low, weighted_high = _interval(of_weighted, weighted)
    stand_for = [weights[row.query] for row in relevant_rows if weights and row.rank > ranked]
    return DepthStudy(
        depth=depth,
        ranked=ranked,
        moments=rows,
        queries=len(texts),
        stretches=[
            _stretch(name, [row.grade for row in rows if _name(row.rank, ranked, BIN) == name], top_grade)
            for name in [*names_of(ranked, BIN), AT_RANDOM]
        ],
        wide=wide,
        by_query=by_query,
        found=len(relevant_rows),
        within=len(within),
        deeper=len(relevant_rows) - len(within) - at_random,
        at_random=at_random,
        queries_deeper=len({row.query for row in relevant_rows if row.rank > min(depth, ranked)}),
        low=low,
        high=high,
        pool=pool,
        stands_for=sum(stand_for) / len(stand_for) if stand_for else None,
        weighted=sum(of_weighted.values()) / sum(weighted.values()) if weighted else None,
        weighted_low=weighted_low,
        weighted_high=weighted_high,
        top_grade=top_grade,
    )


def names_of(ranked: int, width: int) -> list[str]:
    """The stretches of ranks.

    >>> names_of(25, 10)
    ['1-10', '11-20', '21-25']
    """
    return [f"{first}-{min(first + width - 1, ranked)}" for first in range(1, ranked + 1, width)]


def _name(rank: int, ranked: int, width: int) -> str:
    if rank > ranked:
        return AT_RANDOM
    first = (rank - 1) // width * width + 1
    return f"{first}-{min(first + width - 1, ranked)}"


def _stretch(name: str, grades: Sequence[int], top_grade: int) -> RankRange:
    classes = [class_of(grade, top_grade) for grade in grades]
    counts = [classes.count(place) for place in range(class_count(top_grade))]
    if not grades:
        return RankRange(name, counts, None, None)
    return RankRange(name, counts, sum(grades) / len(grades), sum(g >= RELEVANT_FROM for g in grades) / len(grades))


def _interval(within: Mapping[int, float], relevant: Mapping[int, float]) -> tuple[float | None, float | None]:
    """Percentile interval of the share within, over draws of as many queries with replacement: moments of one query
    are alike, so that the queries are what was sampled.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 13.3.
    """
    queries = sorted(relevant)
    if len(queries) < 2:
        return None, None
    rng = random.Random(SEED)
    shares = []
    for _ in range(RESAMPLES):
        drawn = rng.choices(queries, k=len(queries))
        shares.append(sum(within[query] for query in drawn) / sum(relevant[query] for query in drawn))
    shares.sort()
    cut = round((1 - LEVEL) / 2 * RESAMPLES)
    return shares[cut], shares[RESAMPLES - 1 - cut]
