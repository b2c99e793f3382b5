"""How much a few changed grades can gain one run on another in a query by NDCG, at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..measures.measure import discount
from ..measures.ndcg import NDCG
from ..moments.alignment import align
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run

TURNS = 30
"""Of Newton's method, which takes about four; what isn't found by then is bounded by the range of NDCG."""
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class NdcgGainBound:
    """What any number of changed grades leave of the difference of two runs in each query, at least.

    The difference of two runs is N / I: N the sum over the moments of their gain by c, the discount of the one run's
    rank that takes it less that of the other's, and I the ideal. Grades don't decide who takes which moment, but where
    a prediction overlaps two alike: there c is taken as small as it can be, so that N is. Both N and I are sums over
    levels of gain: of the step from the level below, by the sum of c over the n moments that reach the level, and by
    the sum of the n first discounts. Of k changes let a lower a grade and b = k - a raise one. At each level s <= a
    moments then leave it and r <= b come to it. N there falls at most by the s largest c > 0 of those that reach it
    and the r largest -c > 0 of the others, and n becomes n - s + r. N / I >= t holds for all changes if N - t I >= 0
    does at the least over a, and over s and r at each level alone, which allows more than changes of whole grades can
    do. The largest such t is found by Newton's method, as Dinkelbach (1967) does for ratios.

    Attributes: least, most: shape (R, M), the discount with which each run counts each moment. step, reached: shape
    (Q, L), each level's gain less that of the level below, 0 past a query's last, and how many moments reach it.
    reaches: shape (Q, L, n), which; n as many as any query has. place: shape (Q, n), the moments' positions, M where
    there is none. ideal: shape (n + 1,), sums of the first discounts.
    """

    least: FloatArray
    most: FloatArray
    step: FloatArray
    reached: IntArray
    reaches: BoolArray
    place: IntArray
    ideal: FloatArray

    @classmethod
    def of(cls, truth: GroundTruth, runs: Sequence[Run], measure: NDCG, *, top_grade: float) -> NdcgGainBound:
        """Prepare the bounds of any two of the runs."""
        top = float(measure.gains(np.array([top_grade]))[0])
        size = np.diff(truth.offset)
        within = np.arange(max(1, int(size.max(initial=0))))
        place = np.where(within < size[:, None], truth.offset[:-1, None] + within, len(truth.grade))
        gain = np.append(measure.gains(truth.grade), 0.0)[place]
        # Levels: the different gains of the query, and the highest there is.
        level = np.sort(np.append(gain, np.full((len(gain), 1), top), axis=1), axis=1)
        step = np.diff(level, prepend=0.0, axis=1)
        kept = np.argsort(step <= 0, axis=1, kind="stable")[:, : max(1, int((step > 0).sum(axis=1).max(initial=0)))]
        level, step = np.take_along_axis(level, kept, axis=1), np.take_along_axis(step, kept, axis=1)
        step = np.maximum(step, 0.0)
        reaches = gain[:, None, :] >= level[:, :, None]
        weights = discount(measure.cutoff)
        ideal = np.append(0.0, np.cumsum(np.append(weights, np.zeros(len(within)))[: len(within)]))
        return cls(*_weights(truth, runs, measure), step, reaches.sum(axis=2).astype(np.int64), reaches, place, ideal)

    def least_difference(self, ahead: int, behind: int, difference: FloatArray, changes: int) -> FloatArray:
        """The least difference of two runs after so many changes, from 0 on, in each query, shape (Q, changes + 1).

        Args: difference: as it is, shape (Q,).
        """
        coefficient = np.append(self.least[ahead] - self.most[behind], 0.0)[self.place]
        levels = _Levels.of(self, coefficient, changes)
        below = [levels.least(count, difference) for count in range(1, changes + 1)]
        return np.array([difference, *below]).T


@dataclass(frozen=True, eq=False)
class _Levels:
    """Two runs' sums at each level, shape (Q, L).

    Attributes: total: of c over the moments that reach it. lowered, raised: shape (changes + 1, Q, L), the most that N
    loses there by so many moments that leave it or come to it.
    """

    step: FloatArray
    reached: IntArray
    ideal: FloatArray
    total: FloatArray
    lowered: FloatArray
    raised: FloatArray

    @classmethod
    def of(cls, bound: NdcgGainBound, coefficient: FloatArray, changes: int) -> _Levels:
        reaches = bound.reaches
        total = (coefficient[:, None, :] * reaches).sum(axis=2)
        lowered = _largest(np.maximum(coefficient, 0.0), reaches, changes)
        raised = _largest(np.maximum(-coefficient, 0.0), ~reaches, changes)
        return cls(bound.step, bound.reached, bound.ideal, total, lowered, raised)

    def least(self, count: int, difference: FloatArray) -> FloatArray:
        """The largest t of each query that N / I can't fall below by so many changes, shape (Q,)."""
        at = difference.copy()
        going = np.arange(len(at))
        for _ in range(TURNS):
            value, ideal = self._lowest(count, going, at[going])
            unfinished = value < -ROUNDING
            going, value, ideal = going[unfinished], value[unfinished], ideal[unfinished]
            at[going] = np.maximum(
                -1.0, at[going] + np.divide(value, ideal, out=np.full(len(going), -2.0), where=ideal > 0)
            )
            going = going[at[going] > -1.0]
            if not len(going):
                break
        at[going] = -1.0
        # Where no relevant moment may be left the query scores 0 by both.
        return np.where(self.reached[:, 0] <= count, np.minimum(at, 0.0), at)

    def _lowest(self, count: int, queries: IntArray, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The least of N - t I by so many changes, and I there, shape (Q,) each."""
        best, its_ideal = np.full(len(queries), np.inf), np.zeros(len(queries))
        step, reached, total = self.step[queries], self.reached[queries], self.total[queries]
        price = at[:, None]
        for down in range(count + 1):
            value = np.full(step.shape, np.inf)
            ideal = np.zeros(step.shape)
            for leaving in range(down + 1):
                left = np.maximum(reached - leaving, 0)
                for coming in range(count - down + 1):
                    own = self.ideal[np.minimum(left + coming, len(self.ideal) - 1)]
                    tried = total - self.lowered[leaving, queries] - self.raised[coming, queries] - price * own
                    lower = tried < value
                    value[lower], ideal[lower] = tried[lower], own[lower]
            together, whole = (value * step).sum(axis=1), (ideal * step).sum(axis=1)
            lower = together < best
            best[lower], its_ideal[lower] = together[lower], whole[lower]
        return best, its_ideal


def _largest(value: FloatArray, chosen: BoolArray, most: int) -> FloatArray:
    """The sums of the 0..most largest of the chosen values, shape (most + 1, Q, L).

    Args: value: shape (Q, n). chosen: shape (Q, L, n).
    """
    order = np.argsort(-value, axis=1, kind="stable")
    value = np.take_along_axis(value, order, axis=1)
    chosen = np.take_along_axis(chosen, order[:, None, :], axis=2)
    rank = np.cumsum(chosen, axis=2)
    sums = [(value[:, None, :] * (chosen & (rank <= count))).sum(axis=2) for count in range(most + 1)]
    return np.array(sums)


def _weights(truth: GroundTruth, runs: Sequence[Run], measure: NDCG) -> tuple[FloatArray, FloatArray]:
    """With which discount each run counts each moment, at least and at most, shape (R, M) each."""
    least = np.zeros((len(runs), len(truth.grade)))
    most = np.zeros_like(least)
    of_rank = np.append(discount(measure.cutoff), 0.0)
    key = truth.query * max(1, len(truth.video_names)) + truth.video
    for place, run in enumerate(runs):
        for block in align(truth, run, depth=measure.depth):
            prediction, moment = block.taken(measure.iou)
            rank = block.condensed_rank(measure.iou) if measure.unjudged == "condensed" else block.rank
            worth = of_rank[np.minimum(rank, measure.cutoff)]
            least[place, moment] = most[place, moment] = worth[prediction]
            passing = np.flatnonzero(measure.iou.passes(block.pair_iou))
            passing = passing[np.lexsort((block.pair_iou[passing], block.pair_prediction[passing]))]
            prediction, moment = block.pair_prediction[passing], block.pair_moment[passing]
            alike = (np.diff(prediction) == 0) & (np.diff(block.pair_iou[passing]) == 0)
            # Whoever takes one of two that are alike leaves the other to those below, of the same query and video.
            open_pairs = np.isin(key[moment], key[moment[1:][alike]])
            least[place, moment[open_pairs]] = 0.0
            np.maximum.at(most[place], moment[open_pairs], worth[prediction[open_pairs]])
    return least, most
