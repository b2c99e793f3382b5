"""Runs as lists of moments: every prediction linked to the moment that it stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import EvaluationError
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..pooling.spans import best_overlaps, leaders

PREDICTIONS_AT_ONCE = 1_000_000
"""About how many predictions of all runs one block of queries has: some 300 MB while it is made."""


@dataclass(frozen=True, eq=False)
class PoolLists:
    """What all runs returned for consecutive queries, as moments.

    Attributes (Q queries, R runs, N predictions, K moments):
        first_query: the first query's place in the ground truth. queries: Q. runs: the R names.
        query, run, rank, moment: shape (N,), by query, run and rank; the query from 0 on, the rank
        from 1 on. iou: shape (N,), with the moment. repeated: shape (N,), whether the run has the
        moment at an earlier rank already.
        judged: shape (K,), the moment's place in the ground truth, -1 if it isn't judged.
        moment_query, video, start, end: shape (K,); video is its place in `video_names`.
    """

    first_query: int
    queries: int
    runs: tuple[str, ...]
    query: IntArray
    run: IntArray
    rank: IntArray
    moment: IntArray
    iou: FloatArray
    repeated: BoolArray
    judged: IntArray
    moment_query: IntArray
    video: IntArray
    start: FloatArray
    end: FloatArray
    video_names: tuple[str, ...]

    def of_each_query(self) -> Iterator[list[list[int]]]:
        """For each query the runs' lists of moments, best first and without repeats: what recipes take."""
        kept = ~self.repeated
        bounds = np.searchsorted(self.query[kept] * len(self.runs) + self.run[kept], np.arange(self._slots + 1))
        moments, edges = self.moment[kept].tolist(), bounds.tolist()
        for query in range(self.queries):
            at = query * len(self.runs)
            yield [moments[edges[at + run] : edges[at + run + 1]] for run in range(len(self.runs))]

    @property
    def _slots(self) -> int:
        return self.queries * len(self.runs)


def pool_lists(
    ground_truth: GroundTruth, runs: Sequence[Run], *, iou: float = 0.5, depth: int = 100
) -> Iterator[PoolLists]:
    """Link the runs' predictions to moments, block by block of queries.

    A prediction stands for the judged moment of its query and video that it overlaps most, if
    their IoU is at least `iou`. The other predictions of a query in one video become moments
    among themselves: taken by rank, and by the order of the runs at equal ranks, each one whose
    IoU with every moment before it is below `iou` is a moment of its own, a real span that some
    system returned; the others stand for the one of these that they overlap most.

    Args: iou: in (0, 1]. depth: how many predictions of each run count.
    Raises: EvaluationError if a bound is out of range, there is no run, two have one name, or one
    ranks whole videos.
    """
    if not 0 < iou <= 1:
        raise EvaluationError(f"found IoU {iou:g}, expected a number above 0, at most 1")
    if depth < 1:
        raise EvaluationError(f"found depth {depth}, expected 1 or more")
    if not runs:
        raise EvaluationError("found no run, expected at least one")
    names = [run.name for run in runs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise EvaluationError(f"two runs are named {twice!r}: give each file its own name")
    if videos := next((run.name for run in runs if run.ranks_videos), None):
        raise EvaluationError(f"{videos} ranks videos without times: a pool needs moments")
    video_names = list(ground_truth.video_names)
    code = dict(ground_truth.video_index)
    for run in runs:
        for name in run.video_names:
            if name not in code:
                code[name] = len(video_names)
                video_names.append(name)
    columns = [_Columns.of(run, ground_truth, code, depth) for run in runs]
    sizes = np.cumsum(sum(column.count for column in columns))
    begin = 0
    while begin < len(ground_truth):
        before = int(sizes[begin - 1]) if begin else 0
        stop = max(begin + 1, int(np.searchsorted(sizes, before + PREDICTIONS_AT_ONCE, side="right")))
        yield _block(ground_truth, columns, tuple(names), begin, stop, iou, tuple(video_names))
        begin = stop


def at_depth(ground_truth: GroundTruth, runs: Sequence[Run], depth: int) -> GroundTruth:
    """The ground truth as if only the first `depth` predictions of each run had been judged.

    A prediction stands for the judged moment that it overlaps most, from an IoU of 0.5 on.
    Raises: EvaluationError, as `pool_lists`.
    """
    kept = np.zeros(len(ground_truth.grade), dtype=np.bool_)
    for block in pool_lists(ground_truth, runs, depth=depth):
        judged = block.judged[block.moment]
        kept[judged[judged >= 0]] = True
    return ground_truth.with_grades(np.where(kept, ground_truth.grade, np.nan))


@dataclass(frozen=True, eq=False)
class _Columns:
    """A run's predictions in the ground truth's order of queries: where each query's begin, and how many count."""

    source: Run
    video: IntArray
    first: IntArray
    count: IntArray

    @classmethod
    def of(cls, run: Run, ground_truth: GroundTruth, code: dict[str, int], depth: int) -> _Columns:
        first = np.zeros(len(ground_truth), dtype=np.int64)
        count = np.zeros(len(ground_truth), dtype=np.int64)
        for row, query_id in enumerate(run.query_ids):
            place = ground_truth.index.get(query_id)
            if place is not None:
                first[place] = run.offset[row]
                count[place] = min(depth, run.offset[row + 1] - run.offset[row])
        own = np.array([code[name] for name in run.video_names], dtype=np.int64)
        return cls(run, own, first, count)

    def of_queries(self, begin: int, stop: int) -> tuple[IntArray, IntArray, IntArray]:
        """(query from `begin` on, rank from 1 on, place in the run) of their predictions."""
        count = self.count[begin:stop]
        query = np.repeat(np.arange(stop - begin), count)
        rank = np.arange(len(query)) - np.repeat(np.cumsum(count) - count, count)
        return query, rank + 1, np.repeat(self.first[begin:stop], count) + rank


def _block(
    truth: GroundTruth,
    columns: Sequence[_Columns],
    names: tuple[str, ...],
    begin: int,
    stop: int,
    iou: float,
    video_names: tuple[str, ...],
) -> PoolLists:
    parts = [own.of_queries(begin, stop) for own in columns]
    query = np.concatenate([part[0] for part in parts])
    rank = np.concatenate([part[1] for part in parts])
    run = np.repeat(np.arange(len(columns)), [len(part[0]) for part in parts])
    video = np.concatenate([own.video[own.source.video[part[2]]] for own, part in zip(columns, parts, strict=True)])
    start = np.concatenate([own.source.start[part[2]] for own, part in zip(columns, parts, strict=True)])
    end = np.concatenate([own.source.end[part[2]] for own, part in zip(columns, parts, strict=True)])
    group = query * len(video_names) + video

    judged = slice(int(truth.offset[begin]), int(truth.offset[stop]))
    judged_query, judged_video = truth.query[judged] - begin, truth.video[judged]
    moment, overlap = best_overlaps(
        group, start, end, judged_query * len(video_names) + judged_video, truth.start[judged], truth.end[judged]
    )
    moment[overlap < iou] = -1
    free = np.flatnonzero(moment < 0)
    free = free[_by_group_rank_and_run(group[free], rank[free], run[free])]
    new = free[leaders(group[free], start[free], end[free], iou)]
    place, overlap[free] = best_overlaps(group[free], start[free], end[free], group[new], start[new], end[new])
    moment[free] = place + (judged.stop - judged.start)

    # By query, run and rank: run after run, each by rank, is how they stand.
    order = np.argsort(query.astype(np.uint16) if stop - begin <= 1 << 16 else query, kind="stable")
    one_list = (query * len(columns) + run)[order]
    moment = moment[order]
    total = judged.stop - judged.start + len(new)
    repeated = np.ones(len(order), dtype=np.bool_)
    repeated[np.unique(one_list * max(1, total) + moment, return_index=True)[1]] = False
    return PoolLists(
        begin,
        stop - begin,
        names,
        query[order],
        run[order],
        rank[order],
        moment,
        overlap[order],
        repeated,
        np.concatenate([np.arange(judged.start, judged.stop), np.full(len(new), -1, dtype=np.int64)]),
        np.concatenate([judged_query, query[new]]),
        np.concatenate([judged_video, video[new]]),
        np.concatenate([truth.start[judged], start[new]]),
        np.concatenate([truth.end[judged], end[new]]),
        video_names,
    )


def _by_group_rank_and_run(group: IntArray, rank: IntArray, run: IntArray) -> IntArray:
    """Their order, by one sort where the three fit one number."""
    ranks, runs = int(rank.max(initial=0)) + 1, int(run.max(initial=0)) + 1
    if int(group.max(initial=0)) + 1 > np.iinfo(np.int64).max // (ranks * runs):
        return np.lexsort((run, rank, group))
    return np.argsort((group * ranks + rank) * runs + run)
