"""Compat(p=x)@K,IoU>=mu: how like the ideal ranking a ranking is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..measures.measure import Measure, Number
from ..moments.alignment import Alignment, Threshold


@dataclass(frozen=True)
class Compat(Measure):
    """Compatibility, in [0, 1]: rank-biased overlap with the ideal ranking, over that of the ideal with itself.

    The ideal ranks a query's relevant moments from the highest grade to the lowest; equal grades stand as the list has
    them, those that it doesn't find at the end, so that the ideal is the one most like the list. Predictions take
    moments as in NDCG; one that takes none, or one that isn't relevant, is an item that the ideal lacks. The overlap
    is the sum over the depths d of p^(d-1) times the share of d items that both have among their first d. ``@K`` ends
    the sum at K; without it, at the end of the longer of the two. Only the order of the grades matters, not their
    size: preferences serve as well.

    Relevant: grade >= 1 (or ``rel>=g``). Boundary: as written. A query without predictions, or without a relevant
    moment, scores 0. Unjudged moments take up their rank and gain nothing.
    On fixed moments, each returned once, it is ir_measures' ``Compat(p=x)``.
    Source: Clarke, Vtyurina and Smucker, Assessing Top-k Preferences (TOIS 2021), section 3; Clarke, Smucker and
    Vtyurina, Offline Evaluation by Maximum Similarity to an Ideal Ranking (CIKM 2020).
    """

    NAME, WRITTEN = "Compat", "Compat(p=x)@K,IoU>=mu"
    NUMBERS = {"p": Number("persistence", "the persistence p", "between 0 and 1", lambda p: 0 < p < 1)}

    persistence: float
    iou: Threshold
    cutoff: int | None = None
    least_grade: float = 1.0

    def per_query(self, alignment: Alignment) -> FloatArray:
        truth, judged = alignment.ground_truth, alignment.judged()
        grade, query = truth.grade[judged], truth.query[judged] - alignment.first_query
        found = np.full(len(grade), np.iinfo(np.int64).max)
        prediction, moment = alignment.taken(self.iou)
        found[moment - judged.start] = alignment.rank[prediction]
        relevant = np.flatnonzero(grade >= self.least_grade)
        order = relevant[np.lexsort((found[relevant], -grade[relevant], query[relevant]))]
        query, found = query[order], found[order]
        count = np.bincount(query, minlength=len(alignment))
        place = np.arange(len(query)) - (np.cumsum(count) - count)[query]
        ends = np.maximum(count, np.diff(alignment.offset)) if self.cutoff is None else np.full(len(count), self.cutoff)
        depth = np.arange(1, int(ends.max(initial=1)) + 1)
        summed = np.append(0.0, np.cumsum(self.persistence ** (depth - 1.0) / depth))

        def overlap(last: FloatArray) -> FloatArray:
            # A moment that both have from depth `last` + 1 on counts at each of these depths.
            gain = np.maximum(0.0, summed[ends[query]] - summed[np.minimum(last, len(depth)).astype(np.int64)])
            return np.bincount(query, gain, minlength=len(alignment)).astype(np.float64)

        ideal = overlap(place.astype(np.float64))
        return np.divide(overlap(np.maximum(place, found)), ideal, out=np.zeros(len(alignment)), where=ideal > 0)
