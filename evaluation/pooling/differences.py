"""What runs return differently: moments that only one has, overlap of their first ranks, order, and queries apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import EvaluationError
from ..measures.usual import usual_measure
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..pooling.lists import PoolLists, pool_lists
from ..scores.scoring import evaluate
from ..significance.agreement import pair_signs

SIGNS_AT_ONCE = 4_000_000
"""Pairs of moments whose order is compared at a time: some 60 MB."""
EQUAL = 1e-12
"""Scores that differ by less are equal: two ways to the same sum differ in the last bit."""


@dataclass(frozen=True, slots=True)
class SystemPart:
    """What one run has in the pool of all.

    Attributes: queries: those with a prediction. moments: different ones. alone: those of them that no other run has;
    relevant_alone: of these the relevant ones, value: its score; both None without a ground truth.
    """

    run: str
    queries: int
    moments: int
    alone: int
    relevant_alone: int | None
    value: float | None


@dataclass(frozen=True, slots=True)
class QueryApart:
    """A query in which two runs are far apart, with the numbers of `PairApart` for it alone."""

    query_id: str
    overlap: float
    first_alone: int
    both: int
    second_alone: int
    tau: float
    first_value: float | None
    second_value: float | None
    difference: float | None


@dataclass(frozen=True, slots=True)
class PairApart:
    """Two runs.

    Attributes:
        both_answer: queries with predictions of both; first_answers, second_answers: ids of those with one's alone.
        overlap: k -> of the moments in the first k ranks of one of the two the share in those of both (Jaccard), in
        [0, 1]; the mean over the queries that both answer, NaN without one.
        first_alone, both, second_alone: moments, over all queries.
        tau: Kendall's between the orders of the moments that both have, the mean over the `ordered` queries that have
        two or more of them; NaN without one.
        difference: mean of first - second; wins, losses, ties: queries in which the first is higher, lower, equal;
        None without a ground truth.
        queries: with a ground truth those that the first gains most in, then those that it loses most in; else those
        that both answer with the least overlap.
    """

    first: str
    second: str
    both_answer: int
    first_answers: list[str]
    second_answers: list[str]
    overlap: dict[int, float]
    first_alone: int
    both: int
    second_alone: int
    tau: float
    ordered: int
    difference: float | None
    wins: int | None
    losses: int | None
    ties: int | None
    queries: list[QueryApart]


@dataclass(frozen=True, slots=True)
class Differences:
    """Several runs.

    Attributes: moments: of the pool, by how many runs have them, from 1 on. unanswered: query id -> the runs without a
    prediction, where others have one. ground_truth, measure: None without one.
    """

    ground_truth: str | None
    measure: str | None
    iou: float
    depth: int
    queries: int
    moments: list[int]
    unanswered: dict[str, list[str]]
    systems: list[SystemPart]
    pairs: list[PairApart]


def differences(
    runs: Sequence[Run],
    ground_truth: GroundTruth | None = None,
    *,
    measure: str | None = None,
    iou: float = 0.5,
    depth: int = 100,
    least_grade: float = 1.0,
    most: int = 5,
    progress: Callable[[int, int], object] = lambda done, of: None,
) -> Differences:
    """Compare what runs return. Predictions are one moment as in a pool (`pool_lists`).

    Args:
        ground_truth: its queries are those compared; None: all of the runs', of which nothing is judged.
        measure: None: the usual one. depth: ranks that count. most: queries named of each kind, of each two runs.
        progress: called with the number of queries done, and of all.
    Raises: EvaluationError for fewer than two runs, a measure without values per query, or as `pool_lists`, `evaluate`.
    """
    if len(runs) < 2:
        raise EvaluationError(f"found {'one run' if runs else 'no run'}, expected at least two")
    truth = ground_truth or queries_of(runs)
    values: FloatArray | None = None
    if ground_truth is not None:
        measure = measure or usual_measure(ground_truth)
        records = evaluate(ground_truth, runs, [measure])
        columns = [record.per_query for record in records if record.per_query is not None]
        if len(columns) < len(records):
            raise EvaluationError(f"{measure} has no value per query: it cannot be compared")
        values = np.array(columns)
    found = _Found.empty(len(runs), len(truth), sorted({1, 10, depth} & set(range(depth + 1))))
    relevant = truth.relevant(least_grade)
    for block in pool_lists(truth, runs, iou=iou, depth=depth):
        found.add(block, relevant)
        progress(block.first_query + block.queries, len(truth))
    systems = [
        SystemPart(
            run.name,
            int(np.count_nonzero(found.size[-1, row])),
            int(found.size[-1, row].sum()),
            int(found.alone[row]),
            None if values is None else int(found.relevant_alone[row]),
            None if values is None else float(np.nanmean(values[row])),
        )
        for row, run in enumerate(runs)
    ]
    pairs = [
        _pair(found, place, (runs[a].name, runs[b].name), truth, None if values is None else values[[a, b]], most)
        for place, (a, b) in enumerate(found.pairs)
    ]
    answers = found.size[-1] > 0
    return Differences(
        None if ground_truth is None else ground_truth.name,
        None if ground_truth is None else measure,
        iou,
        depth,
        len(truth),
        found.by_systems[1:].tolist(),
        {
            truth.query_ids[query]: [run.name for run, own in zip(runs, answers[:, query], strict=True) if not own]
            for query in np.flatnonzero(answers.any(axis=0) & ~answers.all(axis=0)).tolist()
        },
        systems,
        pairs,
    )


def queries_of(runs: Sequence[Run]) -> GroundTruth:
    """A ground truth of the runs' queries in which nothing is judged."""
    return GroundTruth.of([(query_id, []) for query_id in dict.fromkeys(id for run in runs for id in run.query_ids)])


def pooled_moments(
    ground_truth: GroundTruth, runs: Sequence[Run], *, iou: float = 0.5, depth: int = 100
) -> Iterator[tuple[str, str, float, float, float | None, list[int | None]]]:
    """The pool of the runs: query id, video, start and end in seconds, grade if it is judged, and each run's rank.

    Query by query, the moments that more runs have first, then by their best rank. Raises: as `pool_lists`.
    """
    for block in pool_lists(ground_truth, runs, iou=iou, depth=depth):
        kept = ~block.repeated
        ranks = np.zeros((len(block.moment_query), len(runs)), dtype=np.int64)
        ranks[block.moment[kept], block.run[kept]] = block.rank[kept]
        best = np.where(ranks > 0, ranks, depth + 1).min(axis=1)
        order = np.lexsort((best, -(ranks > 0).sum(axis=1), block.moment_query))
        for moment in order[best[order] <= depth].tolist():
            judged = int(block.judged[moment])
            yield (
                ground_truth.query_ids[block.first_query + int(block.moment_query[moment])],
                block.video_names[block.video[moment]],
                float(block.start[moment]),
                float(block.end[moment]),
                None if judged < 0 else float(ground_truth.grade[judged]),
                [rank or None for rank in ranks[moment].tolist()],
            )


@dataclass(frozen=True, slots=True)
class _Found:
    """Counts by query (Q), run (R), pair of runs (P) and cutoff (C).

    `size`: (C, R, Q), a run's moments in its first ranks; `common`: (C, P, Q), those of both; `tau`: (P, Q).
    """

    cutoffs: list[int]
    pairs: list[tuple[int, int]]
    size: IntArray
    common: IntArray
    tau: FloatArray
    alone: IntArray
    relevant_alone: IntArray
    by_systems: IntArray

    @classmethod
    def empty(cls, runs: int, queries: int, cutoffs: list[int]) -> _Found:
        pairs = list(combinations(range(runs), 2))
        size, common = (np.zeros((len(cutoffs), rows, queries), dtype=np.int64) for rows in (runs, len(pairs)))
        alone, relevant_alone, by_systems = (np.zeros(length, dtype=np.int64) for length in (runs, runs, runs + 1))
        tau = np.full((len(pairs), queries), np.nan)
        return cls(cutoffs, pairs, size, common, tau, alone, relevant_alone, by_systems)

    def add(self, block: PoolLists, relevant: BoolArray) -> None:
        """Count a block. Args: relevant: of the ground truth's moments, which are."""
        here = slice(block.first_query, block.first_query + block.queries)
        kept = np.flatnonzero(~block.repeated)
        systems = np.bincount(block.moment[kept], minlength=len(block.judged))
        self.by_systems[:] += np.bincount(systems, minlength=len(self.by_systems))
        alone = systems == 1
        good = alone & (block.judged >= 0)
        good[good] = relevant[block.judged[good]]
        lists = []
        for run in range(len(block.runs)):
            own = kept[block.run[kept] == run]
            query, rank, moment = block.query[own], block.rank[own], block.moment[own]
            lists.append((query, rank, moment))
            self.alone[run] += np.count_nonzero(alone[moment])
            self.relevant_alone[run] += np.count_nonzero(good[moment])
            for row, cutoff in enumerate(self.cutoffs):
                self.size[row, run, here] = np.bincount(query[rank <= cutoff], minlength=block.queries)
        rank_of = np.zeros(len(block.judged), dtype=np.int64)
        for place, (a, b) in enumerate(self.pairs):
            rank_of[:] = 0
            rank_of[lists[a][2]] = lists[a][1]
            query, rank, moment = lists[b]
            other = rank_of[moment]
            both = np.flatnonzero(other)
            for row, cutoff in enumerate(self.cutoffs):
                first = both[np.maximum(rank[both], other[both]) <= cutoff]
                self.common[row, place, here] = np.bincount(query[first], minlength=block.queries)
            self.tau[place, here] = _tau(query[both], other[both], block.queries)


def _tau(query: IntArray, rank: IntArray, queries: int) -> FloatArray:
    """Kendall's tau by query between the order in which ranks come and the ranks, no two of a query alike: (Q,)."""
    count = np.bincount(query, minlength=queries)
    begin = np.cumsum(count) - count
    tau = np.full(queries, np.nan)
    for length in np.unique(count[count > 1]).tolist():
        those = np.flatnonzero(count == length)
        at_once = max(1, SIGNS_AT_ONCE // (length * length))
        for start in range(0, len(those), at_once):
            part = those[start : start + at_once]
            tau[part] = -pair_signs(rank[begin[part, None] + np.arange(length)].astype(np.float64)).mean(axis=1)
    return tau


def _pair(
    found: _Found, place: int, names: tuple[str, str], truth: GroundTruth, values: FloatArray | None, most: int
) -> PairApart:
    a, b = found.pairs[place]
    answers = found.size[-1, [a, b]] > 0
    both_answer = answers.all(axis=0)
    common = found.common[:, place]
    either = found.size[:, a] + found.size[:, b] - common
    overlap = np.divide(common, either, out=np.full(common.shape, np.nan), where=either > 0)
    gained = None if values is None else values[0] - values[1]
    ordered = np.isfinite(found.tau[place])

    def apart(query: int) -> QueryApart:
        shared = int(common[-1, query])
        first, second = (None, None) if values is None else values[:, query].tolist()
        return QueryApart(
            truth.query_ids[query],
            float(overlap[-1, query]),
            int(found.size[-1, a, query]) - shared,
            shared,
            int(found.size[-1, b, query]) - shared,
            float(found.tau[place, query]),
            first,
            second,
            None if first is None else first - second,
        )

    if gained is None:
        chosen = np.flatnonzero(both_answer)
        chosen = chosen[np.argsort(overlap[-1, chosen], kind="stable")][:most]
    else:
        gains = np.flatnonzero(gained > EQUAL)
        losses = np.flatnonzero(gained < -EQUAL)
        gains = gains[np.argsort(-gained[gains], kind="stable")][:most]
        chosen = np.concatenate([gains, losses[np.argsort(gained[losses], kind="stable")][:most]])
    shared = int(common[-1].sum())
    first_answers, second_answers = (
        [truth.query_ids[query] for query in np.flatnonzero(own & ~both_answer).tolist()] for own in answers
    )
    difference, wins, losing, ties = (None,) * 4 if gained is None else _standing(gained)
    return PairApart(
        first=names[0],
        second=names[1],
        both_answer=int(np.count_nonzero(both_answer)),
        first_answers=first_answers,
        second_answers=second_answers,
        overlap={k: _mean(overlap[row, both_answer]) for row, k in enumerate(found.cutoffs)},
        first_alone=int(found.size[-1, a].sum()) - shared,
        both=shared,
        second_alone=int(found.size[-1, b].sum()) - shared,
        tau=_mean(found.tau[place, ordered]),
        ordered=int(np.count_nonzero(ordered)),
        difference=difference,
        wins=wins,
        losses=losing,
        ties=ties,
        queries=[apart(query) for query in chosen.tolist()],
    )


def _standing(gained: FloatArray) -> tuple[float, int, int, int]:
    counted = gained[~np.isnan(gained)]
    wins, losses = int(np.count_nonzero(counted > EQUAL)), int(np.count_nonzero(counted < -EQUAL))
    return _mean(counted), wins, losses, len(counted) - wins - losses


def _mean(numbers: FloatArray) -> float:
    return float(numbers.mean()) if len(numbers) else float("nan")
