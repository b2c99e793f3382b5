"""A run aligned with its ground truth: which predictions overlap which judged moments, and by how much."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..moments.ground_truth import GroundTruth
from ..moments.matching import match_exclusively
from ..moments.overlap import temporal_iou
from ..moments.run import Run

PAIRS_AT_ONCE = 2_000_000
"""About how many prediction-moment pairs one block may hold: it bounds the memory, some 100 MB."""


@dataclass(frozen=True)
class Threshold:
    """An IoU boundary: ``value`` in [0, 1], reached by > when strict and by >= otherwise.

    >>> Threshold(0.5, strict=True).passes(np.array([0.5, 0.6])).tolist()
    [False, True]
    >>> str(Threshold(0.5, strict=False))
    'IoU>=0.5'
    """

    value: float
    strict: bool

    def __post_init__(self) -> None:
        if not 0 <= self.value <= 1:
            raise ValueError(f"an IoU threshold lies between 0 and 1, not at {self.value}")

    def passes(self, iou: FloatArray) -> BoolArray:
        """Which values reach the boundary."""
        return iou > self.value if self.strict else iou >= self.value

    def __str__(self) -> str:
        return f"IoU{'>' if self.strict else '>='}{self.value:g}"


@dataclass(frozen=True, eq=False)
class Alignment:
    """Consecutive queries of a ground truth with one run's predictions for them.

    Predictions stand query by query in order of rank. A *pair* is a prediction and a judged
    moment of the same query and video; pairs stand by prediction, and inside one in the ground
    truth's order (higher grade, then file order).

    Attributes (Q queries here, N predictions, P pairs, M moments of the whole ground truth):
        first_query: the position of the first query in the ground truth.
        answered: shape (Q,), whether the run has a row for the query, be it empty.
        offset: shape (Q + 1,). query: shape (N,), 0..Q-1. rank: shape (N,), 0 is the best.
        place: shape (N,), where each prediction stands in the run's arrays.
        pair_prediction, pair_moment: shape (P,); pair_iou: shape (P,), in [0, 1].
    """

    ground_truth: GroundTruth
    run: Run
    first_query: int
    answered: BoolArray
    offset: IntArray
    query: IntArray
    rank: IntArray
    place: IntArray
    pair_prediction: IntArray
    pair_moment: IntArray
    pair_iou: FloatArray
    _taken: dict[tuple[Threshold, float], tuple[IntArray, IntArray]] = field(default_factory=dict, repr=False)
    _best: dict[tuple[float, bool], FloatArray] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        """The number of queries."""
        return len(self.answered)

    @cached_property
    def video(self) -> IntArray:
        """The run's own codes, shape (N,)."""
        return self.run.video[self.place]

    @cached_property
    def score(self) -> FloatArray:
        """Shape (N,), NaN if there is none."""
        return self.run.score[self.place]

    @cached_property
    def start(self) -> FloatArray:
        """Shape (N,), seconds."""
        return self.run.start[self.place]

    @cached_property
    def end(self) -> FloatArray:
        """Shape (N,), seconds."""
        return self.run.end[self.place]

    @property
    def queries(self) -> slice:
        """The positions of these queries in the ground truth."""
        return slice(self.first_query, self.first_query + len(self))

    def judged(self) -> slice:
        """The positions of these queries' judged moments in the ground truth."""
        offset = self.ground_truth.offset
        return slice(int(offset[self.first_query]), int(offset[self.first_query + len(self)]))

    def taken(self, threshold: Threshold, least_grade: float = 0.0) -> tuple[IntArray, IntArray]:
        """Predictions that take a moment, ascending, and the moments they take, each at most once.

        In order of rank, each prediction takes the moment of its video that is still free and
        overlaps it most, if that overlap reaches the threshold. Only moments of at least this
        grade take part (0: all judged ones, and one of grade 0 is used up like any other).
        """
        wanted = (threshold, least_grade)
        if wanted not in self._taken:
            # A moment below the threshold is never taken, so only the others need to be in order.
            chosen = np.flatnonzero(threshold.passes(self.pair_iou))
            if least_grade > 0:
                chosen = chosen[self.ground_truth.grade[self.pair_moment[chosen]] >= least_grade]
            prediction = self.pair_prediction[chosen]
            moment = _best_first(prediction, self.pair_moment[chosen], self.pair_iou[chosen])
            self._taken[wanted] = match_exclusively(prediction, moment, len(self.ground_truth.grade))
        return self._taken[wanted]

    def reaches(self, threshold: Threshold) -> BoolArray:
        """Which predictions are *judged*, shape (N,): their overlap with some judged moment reaches the threshold.

        A moment of grade 0 is judged too. A prediction that reaches only moments which others took above it is judged,
        and gains nothing; one that reaches none is unjudged, which is not grade 0.
        """
        return self.paired(0.0) & threshold.passes(self.best_iou(0.0))

    def reaches_pooled(self, threshold: Threshold) -> BoolArray:
        """Which predictions reach the threshold with an ungraded moment of the pool, shape (N,)."""
        reached = np.zeros(len(self.query), dtype=np.bool_)
        pooled = self.ground_truth.pooled
        if pooled is None:
            return reached
        known = np.fromiter(map(pooled.video_index.get, self.run.video_names, repeat(-1)), np.int64)
        prediction, moment = _same_video_pairs(pooled, self.query + self.first_query, known[self.video])
        times = self.start[prediction], self.end[prediction], pooled.start[moment], pooled.end[moment]
        reached[prediction[threshold.passes(temporal_iou(*times))]] = True
        return reached

    def count_above(self, chosen: BoolArray) -> IntArray:
        """How many of the chosen stand above each prediction in its list, shape (N,)."""
        before: IntArray = np.cumsum(chosen) - chosen
        first = np.append(before, chosen.sum())[self.offset[:-1]]
        above: IntArray = before - first[self.query]
        return above

    def condensed_rank(self, threshold: Threshold) -> IntArray:
        """Each prediction's rank in its list without the unjudged ones, shape (N,); 0 is the best.

        Of no meaning where the prediction is unjudged itself. Source: Sakai, Alternatives to Bpref (SIGIR 2007).
        """
        return self.count_above(self.reaches(threshold))

    def best_iou(self, least_grade: float = 1.0, *, graded: bool = False) -> FloatArray:
        """Each prediction's largest IoU with a moment of at least this grade, shape (N,), 0 for none.

        Moments may serve several predictions. With ``graded`` the IoU counts times the grade.
        """
        wanted = (least_grade, graded)
        if wanted not in self._best:
            grade = self.ground_truth.grade[self.pair_moment]
            chosen = np.flatnonzero(grade >= least_grade)
            value = (self.pair_iou * grade if graded else self.pair_iou)[chosen]
            prediction = self.pair_prediction[chosen]
            first = np.flatnonzero(np.diff(prediction, prepend=-1))
            best = np.zeros(len(self.query))
            if len(first):
                best[prediction[first]] = np.maximum.reduceat(value, first)
            self._best[wanted] = best
        return self._best[wanted]

    def paired(self, least_grade: float = 1.0) -> BoolArray:
        """Which predictions are of a video that has a moment of at least this grade, shape (N,)."""
        chosen = self.ground_truth.grade[self.pair_moment] >= least_grade
        has_pair = np.zeros(len(self.query), dtype=np.bool_)
        has_pair[self.pair_prediction[chosen]] = True
        return has_pair

    def highest_grade(self) -> FloatArray:
        """The highest grade of each query, shape (Q,), 0 where nothing was judged."""
        truth = self.ground_truth
        first = truth.offset[self.queries]
        judged = np.diff(truth.offset[self.first_query : self.first_query + len(self) + 1]) > 0
        highest = np.zeros(len(self))
        highest[judged] = truth.grade[first[judged]]
        return highest

    def ranked(self, value: FloatArray, cutoff: int) -> FloatArray:
        """A value per prediction as a table, shape (Q, depth), 0 past the end of a list.

        The depth is the cutoff, or less if no list here is that long, but at least 1.
        """
        depth = max(1, min(cutoff, int(np.diff(self.offset).max(initial=0))))
        table = np.zeros((len(self), depth))
        shown = self.rank < depth
        table[self.query[shown], self.rank[shown]] = value[shown]
        return table

    def first_pair_moment(self) -> IntArray:
        """A moment of each prediction's query and video, shape (N,), -1 if none was judged."""
        moment = np.full(len(self.query), -1, dtype=np.int64)
        moment[self.pair_prediction[::-1]] = self.pair_moment[::-1]
        return moment

    def distinct_videos(self) -> tuple[IntArray, IntArray]:
        """Each query's videos in order of their first prediction: ``(prediction, rank)``."""
        key = self.query * max(1, len(self.run.video_names)) + self.video
        first = np.sort(np.unique(key, return_index=True)[1])
        query = self.query[first]
        return first, np.arange(len(first)) - np.searchsorted(query, query)

    def rank_in_video(self) -> IntArray:
        """Each prediction's rank among those of its query and video, shape (N,), 0 is the best."""
        key = self.query * max(1, len(self.run.video_names)) + self.video
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        rank = np.empty(len(key), dtype=np.int64)
        rank[order] = np.arange(len(key)) - np.searchsorted(ordered, ordered)
        return rank

    def any_of(self, predictions: IntArray) -> FloatArray:
        """1.0 for the queries that have one of these predictions, else 0.0; shape (Q,)."""
        has_one = np.zeros(len(self))
        has_one[self.query[predictions]] = 1.0
        return has_one

    def any_within(self, hit: BoolArray, depth: int) -> FloatArray:
        """1.0 for the queries with a hit in the first ``depth`` ranks, else 0.0; shape (Q,)."""
        return self.any_of(np.flatnonzero(hit & (self.rank < depth)))

    def with_ground_truth_times(self, start: FloatArray, end: FloatArray) -> Alignment:
        """The same pairs after the judged moments moved; ``start``, ``end`` of shape (M,), seconds.

        Cheaper than aligning again: who may match whom depends on videos, not on times.
        """
        iou = temporal_iou(
            self.start[self.pair_prediction],
            self.end[self.pair_prediction],
            start[self.pair_moment],
            end[self.pair_moment],
        )
        return replace(self, pair_iou=iou, _taken={}, _best={})


def align(
    ground_truth: GroundTruth, run: Run, *, depth: int | None = None, pairs_at_once: int = PAIRS_AT_ONCE
) -> Iterator[Alignment]:
    """Align a run with the ground truth, in blocks of consecutive queries.

    Args:
        depth: how many ranks are looked at; None for all.
        pairs_at_once: about how many pairs one block holds; at least one query is in each.
    Yields: blocks that together cover every query of the ground truth once, in its order.
    Queries of the run that the ground truth does not know are left out.
    """
    row = np.full(len(ground_truth), -1, dtype=np.int64)
    index = ground_truth.index
    for place, query_id in enumerate(run.query_ids):
        position = index.get(query_id)
        if position is not None:
            row[position] = place
    answered = row >= 0
    length = np.where(answered, np.diff(run.offset, append=0)[row], 0)
    if depth is not None:
        np.minimum(length, depth, out=length)
    offset = np.zeros(len(row) + 1, dtype=np.int64)
    np.cumsum(length, out=offset[1:])
    video_index = ground_truth.video_index
    known = np.fromiter(map(video_index.get, run.video_names, repeat(-1)), np.int64, len(run.video_names))

    for low, high in _blocks(length * np.diff(ground_truth.offset), pairs_at_once):
        count, own = length[low:high], offset[low : high + 1] - offset[low]
        query = np.repeat(np.arange(high - low), count)
        rank = np.arange(own[-1]) - np.repeat(own[:-1], count)
        place = rank + np.repeat(run.offset[row[low:high]], count)
        prediction, moment = _same_video_pairs(ground_truth, query + low, known[run.video[place]])
        paired = place[prediction]
        iou = temporal_iou(run.start[paired], run.end[paired], ground_truth.start[moment], ground_truth.end[moment])
        yield Alignment(
            ground_truth,
            run,
            low,
            answered[low:high],
            own,
            query,
            rank,
            place,
            prediction,
            moment,
            iou,
        )


def _blocks(cost: IntArray, limit: int) -> Iterator[tuple[int, int]]:
    """Cut consecutive queries into blocks of about ``limit`` summed cost; at least one each."""
    total = np.cumsum(cost)
    low = 0
    while low < len(cost):
        done = total[low - 1] if low else 0
        high = max(low + 1, int(np.searchsorted(total, done + limit, side="right")))
        yield low, high
        low = high


def _same_video_pairs(ground_truth: GroundTruth, query: IntArray, video: IntArray) -> tuple[IntArray, IntArray]:
    """All (prediction, moment) of equal query and video; by prediction, then the ground truth's order."""
    order, keys, starts, counts = ground_truth.by_video
    if not len(keys) or not len(video):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    key = query * max(1, len(ground_truth.video_names)) + video
    sieve = ground_truth.video_sieve
    asked = np.flatnonzero(sieve[key & (len(sieve) - 1)] & (video >= 0))
    key = key[asked]
    group = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    present = np.flatnonzero(keys[group] == key)
    first, count = starts[group[present]], counts[group[present]]
    if len(count) and int(count.max()) == 1:
        return asked[present], order[first]
    pair = np.repeat(np.arange(len(present)), count)
    within = np.arange(len(pair)) - (np.cumsum(count) - count)[pair]
    return asked[present[pair]], order[first[pair] + within]


def _best_first(prediction: IntArray, moment: IntArray, iou: FloatArray) -> IntArray:
    """The moments of pairs, by prediction, reordered inside each from the largest IoU to the smallest.

    Args: the pairs, by prediction and inside one in the ground truth's order, which equal IoU keeps.
    """
    same = prediction[1:] == prediction[:-1]
    choice = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
    if not len(choice):
        return moment
    order = choice[np.lexsort((-iou[choice], prediction[choice]))]
    sorted_moment = moment.copy()
    sorted_moment[choice] = moment[order]
    return sorted_moment
