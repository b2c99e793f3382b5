"""infAP,IoU>=mu: average precision inferred where only a part of the pool was judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..measures.measure import Measure
from ..moments.alignment import Alignment, Threshold

EPSILON = 0.00001
"""As in trec_eval: it keeps a share of nothing from being 0 / 0."""


@dataclass(frozen=True)
class InfAP(Measure):
    """Inferred average precision, in [0, 1]: (1 / R) sum over the relevant moments found of the expected precision.

    At rank k: 1 / k + (k - 1) / k * (pooled above / (k - 1)) * (r + e) / (r + n + 2 e). Above are r relevant and n
    non-relevant judged predictions, and those that reach only a moment of the pool that has no grade; pooled are all
    three, and the ungraded are taken to be relevant in the same share as the judged above. A prediction outside the
    pool is not relevant. R counts the judged relevant moments; e is `EPSILON`.

    Predictions take judged moments as in NDCG, each moment at most once; one whose judged moments were all taken above
    it is judged and not relevant. In the pool without a grade are the moments with ``"relevance": null``, in qrels -1;
    without any it is average precision but for e. The judged are meant to be a random part of the pool.

    Relevant: grade >= 1 (or ``rel>=g``). Boundary: as written. A query without a relevant moment scores 0.
    On fixed moments it is trec_eval's and ir_measures' ``infAP``.
    Source: Yilmaz and Aslam, Estimating Average Precision with Incomplete and Imperfect Judgments (CIKM 2006);
    trec_eval's m_infap.c.
    """

    NAME, WRITTEN = "infAP", "infAP,IoU>=mu"

    iou: Threshold
    least_grade: float = 1.0

    def per_query(self, alignment: Alignment) -> FloatArray:
        truth, judged = alignment.ground_truth, alignment.judged()
        relevant = truth.grade[judged] >= self.least_grade
        wanted = np.bincount(truth.query[judged][relevant] - alignment.first_query, minlength=len(alignment))

        prediction, moment = alignment.taken(self.iou)
        hit = np.zeros(len(alignment.query), dtype=np.bool_)
        hit[prediction[truth.grade[moment] >= self.least_grade]] = True
        known = alignment.reaches(self.iou)
        pooled = known | alignment.reaches_pooled(self.iou)
        place = np.flatnonzero(hit)
        hits, misses, all_pooled = (alignment.count_above(chosen)[place] for chosen in (hit, known & ~hit, pooled))
        rank = alignment.rank[place] + 1
        share = (hits + EPSILON) / (hits + misses + 2 * EPSILON)
        expected = (1.0 + all_pooled * share) / rank
        total = np.bincount(alignment.query[place], expected, minlength=len(alignment))
        return np.divide(total, wanted, out=np.zeros(len(alignment)), where=wanted > 0)
