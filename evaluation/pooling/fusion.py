"""Several systems' runs become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import EvaluationError
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run, RunBuilder
from ..pooling.differences import queries_of
from ..pooling.lists import PoolLists, pool_lists
from ..pooling.recipes import RRF_CONSTANT

DIGITS = 12
"""Fused scores are rounded to so many: the order in which the same terms are added must not decide."""


def fuse(runs: Sequence[Run], method: str = "rrf", *, iou: float = 0.5, depth: int = 100, name: str = "") -> Run:
    """One run out of several, by what they say of moments that are the same.

    Predictions of one query and video that overlap are one moment, by the rule of `pool_lists`: taken by rank, and by
    the order of the runs at equal ranks, one whose IoU with every moment before it is below `iou` is a moment, with its
    own times; the others stand for the one that they overlap most. What a run has again at a later rank counts once.

    ``rrf`` sums 1 / (60 + rank) over the runs that have the moment (Cormack, Clarke and Buettcher, SIGIR 2009).
    ``combsum`` sums their scores, each list's scores first brought to 0-1 by its least and its greatest (all 1 where
    they are equal); ``combmnz`` multiplies this sum by the number of runs that have the moment (Fox and Shaw, TREC-2;
    normalised after Lee, SIGIR 1997). Equal ones stand by their best rank, then by the order of the runs.

    Args: iou: in (0, 1]. depth: how many predictions of each run count. name: of the new run; the method's without it.
    Raises: EvaluationError for fewer than two runs, an unknown method, or scores that are missing or infinite where
    they are summed; and as `pool_lists`.

    >>> from evaluation.moments.run import Prediction
    >>> one = Run.of("one", [("q", [Prediction("v", 0, 10, 0.9), Prediction("w", 5, 9, 0.8)])])
    >>> two = Run.of("two", [("q", [Prediction("w", 5, 8, 7), Prediction("v", 40, 50, 3)])])
    >>> [(moment.video_name, moment.end, round(moment.score, 4)) for moment in fuse([one, two]).of_query("q")]
    [('w', 8.0, 0.0325), ('v', 10.0, 0.0164), ('v', 50.0, 0.0161)]
    """
    if method not in METHODS:
        raise EvaluationError(f"{method!r} is no way to fuse: expected one of {', '.join(METHODS)}")
    if len(runs) < 2:
        raise EvaluationError(f"found {len(runs)} run, expected two or more to fuse")
    builder = RunBuilder(name or method)
    truth = queries_of(runs)
    for block in pool_lists(truth, runs, iou=iou, depth=depth):
        kept = ~block.repeated
        value = METHODS[method](block, truth, runs)[kept]
        moment, count = block.moment[kept], len(block.judged)
        fused = np.bincount(moment, value, minlength=count)
        if method == "combmnz":
            fused *= np.bincount(moment, minlength=count)
        fused = np.round(fused, DIGITS)
        first = np.full(count, np.iinfo(np.int64).max)
        np.minimum.at(first, moment, (_ranks(block, runs) * len(runs) + block.run)[kept])
        order = np.lexsort((first, -fused, block.moment_query))
        bounds = np.searchsorted(block.moment_query[order], np.arange(block.queries + 1))
        for query in range(block.queries):
            own = order[bounds[query] : bounds[query + 1]]
            videos = [block.video_names[video] for video in block.video[own].tolist()]
            times = np.column_stack([block.start[own], block.end[own]])
            builder.add(truth.query_ids[block.first_query + query], videos, times, fused[own].tolist())
    return builder.finished()


def _ranks(block: PoolLists, runs: Sequence[Run]) -> IntArray:
    """Each prediction's rank, from 1, among those of its list that repeat no moment."""
    kept = ~block.repeated
    one_list = block.query * len(runs) + block.run
    before: IntArray = np.cumsum(kept) - kept
    ranks: IntArray = 1 + before - before[np.searchsorted(one_list, one_list)]
    return ranks


def _reciprocal_ranks(block: PoolLists, truth: GroundTruth, runs: Sequence[Run]) -> FloatArray:
    return np.asarray(1.0 / (RRF_CONSTANT + _ranks(block, runs)), dtype=np.float64)


def _normalised_scores(block: PoolLists, truth: GroundTruth, runs: Sequence[Run]) -> FloatArray:
    """Each prediction's score between the least (0) and the greatest (1) of its list."""
    score = np.zeros(len(block.run))
    for at, run in enumerate(runs):
        score[block.run == at] = _scores(block, truth, run, at)
    one_list = block.query * len(runs) + block.run
    begins = np.flatnonzero(np.diff(one_list, prepend=-1))
    length = np.diff(begins, append=len(one_list))
    highest = score[begins]  # each list stands from high to low
    lowest = score[begins + length - 1]
    spread, least = np.repeat(highest - lowest, length), np.repeat(lowest, length)
    return np.divide(score - least, spread, out=np.ones(len(score)), where=spread > 0)


def _scores(block: PoolLists, truth: GroundTruth, run: Run, at: int) -> FloatArray:
    """The scores of one run's predictions in a block. Raises: EvaluationError if one is missing or infinite."""
    row = {query_id: place for place, query_id in enumerate(run.query_ids)}
    ids = truth.query_ids[block.first_query : block.first_query + block.queries]
    offset: IntArray = run.offset[np.array([row.get(query_id, 0) for query_id in ids], dtype=np.int64)]
    own = block.run == at
    score: FloatArray = run.score[offset[block.query[own]] + block.rank[own] - 1]
    bad = np.flatnonzero(~np.isfinite(score))
    if len(bad):
        query_id = ids[block.query[own][bad[0]]]
        found = "no score" if np.isnan(score[bad[0]]) else f"the score {score[bad[0]]:g}"
        raise EvaluationError(f"{run.name}, query {query_id}: found {found}, expected a number to sum: rrf needs none")
    return score


METHODS: dict[str, Callable[[PoolLists, GroundTruth, Sequence[Run]], FloatArray]] = {
    "rrf": _reciprocal_ranks,
    "combsum": _normalised_scores,
    "combmnz": _normalised_scores,
}
"""What each prediction adds to its moment."""
