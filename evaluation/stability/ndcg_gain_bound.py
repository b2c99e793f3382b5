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


@dataclass(frozen=True, eq=False)
class NdcgGainBound:
    """What any number of changed grades can leave of the difference of two runs in each query, at least.

    As long as no prediction overlaps two moments alike, grades don't decide who takes which moment. Then a run's NDCG
    is N / I, where N is the sum over the moments of their gain by the discount of the rank that takes them, and I the
    ideal. Of k changes let a lower grades and b = k - a raise some. N of the difference falls at most by the a largest
    losses of moments that the leading run ranks higher and the b largest of the others; I is at least what is left
    without the a highest grades, and at most what b grades more at the top make of it.

    Attributes: weight: shape (R, M), the discount with which each run counts each moment. tied: shape (R, Q), whether
    grades may decide who takes what. least, most: shape (B + 1, Q), the ideal after so many changes. gain: shape (M,),
    of the moments. top: of the highest grade.
    """

    ground_truth: GroundTruth
    weight: FloatArray
    tied: BoolArray
    least: FloatArray
    most: FloatArray
    gain: FloatArray
    top: float

    @classmethod
    def of(
        cls, ground_truth: GroundTruth, runs: Sequence[Run], measure: NDCG, *, top_grade: float, changes: int
    ) -> NdcgGainBound:
        """Prepare bounds for up to so many changes a query."""
        gain, top = measure.gains(ground_truth.grade), float(measure.gains(np.array([top_grade]))[0])
        weight = np.zeros((len(runs), len(gain)))
        tied = np.zeros((len(runs), len(ground_truth)), dtype=np.bool_)
        for place, run in enumerate(runs):
            for block in align(ground_truth, run, depth=measure.depth):
                prediction, moment = block.taken(measure.iou)
                condensed = measure.unjudged == "condensed"
                rank = (block.condensed_rank(measure.iou) if condensed else block.rank)[prediction]
                counted = rank < measure.cutoff
                weight[place, moment[counted]] = discount(measure.cutoff)[rank[counted]]
                passing = np.flatnonzero(measure.iou.passes(block.pair_iou))
                order = passing[np.lexsort((block.pair_iou[passing], block.pair_prediction[passing]))]
                same = np.diff(block.pair_prediction[order]) == 0
                alike = same & (np.diff(block.pair_iou[order]) == 0)
                tied[place, block.first_query + block.query[block.pair_prediction[order[1:][alike]]]] = True
        ideals = (
            [_ideals(ground_truth, gain, top, measure.cutoff, lowered=count, raised=0) for count in range(changes + 1)],
            [_ideals(ground_truth, gain, top, measure.cutoff, lowered=0, raised=count) for count in range(changes + 1)],
        )
        return cls(ground_truth, weight, tied, np.array(ideals[0]), np.array(ideals[1]), gain, top)

    def least_difference(self, ahead: int, behind: int) -> FloatArray:
        """The least difference of two runs after 0..B changes in each query, shape (Q, B + 1); -1 where grades decide
        who takes which moment."""
        coefficient = self.weight[ahead] - self.weight[behind]
        query, count, changes = self.ground_truth.query, len(self.ground_truth), len(self.least) - 1
        numerator = np.bincount(query, coefficient * self.gain, minlength=count)
        lowered = _largest(np.maximum(coefficient, 0.0) * self.gain, query, count, changes)
        raised = _largest(np.maximum(-coefficient, 0.0) * (self.top - self.gain), query, count, changes)
        found = np.full((count, changes + 1), np.inf)
        for total in range(changes + 1):
            for down in range(total + 1):
                left = numerator - lowered[down] - raised[total - down]
                ideal = np.where(left < 0, self.least[down], self.most[total - down])
                # Where no gain may be left, anything down to -1 is possible; nothing is where none can be had.
                floor = np.where(left < 0, -1.0, 0.0)
                value = np.divide(left, ideal, out=floor, where=ideal > 0)
                found[:, total] = np.minimum(found[:, total], np.maximum(value, -1.0))
        found[self.tied[ahead] | self.tied[behind]] = -1.0
        return found


def _ideals(truth: GroundTruth, gain: FloatArray, top: float, cutoff: int, *, lowered: int, raised: int) -> FloatArray:
    """The ideal of each query without its highest grades, or with its lowest raised to the top, shape (Q,)."""
    size = np.diff(truth.offset)[truth.query]
    place = np.arange(len(gain)) - truth.offset[truth.query]
    raised_each = np.minimum(raised, size)
    kept = (place >= lowered) & (place < size - raised_each)
    rank = place - lowered + raised_each
    counted = kept & (rank < cutoff)
    weight = discount(cutoff)
    of_kept = np.bincount(truth.query[counted], gain[counted] * weight[rank[counted]], minlength=len(truth))
    sums = np.append(0.0, np.cumsum(weight))
    of_raised = top * sums[np.minimum(np.minimum(raised, np.diff(truth.offset)), cutoff)]
    total: FloatArray = of_kept + of_raised
    return total


def _largest(value: FloatArray, query: IntArray, queries: int, most: int) -> FloatArray:
    """The sums of each query's 0..most largest values, shape (most + 1, Q)."""
    order = np.lexsort((-value, query))
    own = query[order]
    place = np.arange(len(own)) - np.searchsorted(own, own)
    found = np.zeros((most + 1, queries))
    for count in range(1, most + 1):
        taken = order[place < count]
        found[count] = np.bincount(query[taken], value[taken], minlength=queries)
    return found
