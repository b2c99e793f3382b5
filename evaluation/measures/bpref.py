"""Bpref,IoU>=mu: does a run rank judged relevant moments above judged non-relevant ones?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..measures.measure import Measure
from ..moments.alignment import Alignment, Threshold


@dataclass(frozen=True)
class Bpref(Measure):
    """Binary preference, in [0, 1]: (1 / R) sum over the relevant moments found of 1 - min(n, R) / min(N, R).

    Predictions take judged moments as in NDCG, each moment at most once. R and N are how many judged moments of the
    query are relevant and not; n is how many of the latter were taken above. Only the order of judged moments counts:
    an unjudged prediction is passed over, wherever it stands, and so is one whose judged moments were all taken
    above it, since bpref prefers moments to moments and that one is in the order already. A relevant moment that is
    not found adds 0.

    Relevant: grade >= 1 (or ``rel>=g``). Boundary: as written. A query without a relevant moment scores 0. Judged
    moments of grade 0 are what it lives on: where only relevant moments are in the ground truth it is recall.
    On fixed moments it is trec_eval's and ir_measures' ``Bpref``.
    Source: Buckley and Voorhees, Retrieval Evaluation with Incomplete Information (SIGIR 2004), section 3; with
    min(N, R) as trec_eval's m_bpref.c has it since version 8, and Soboroff (SIGIR 2006).
    """

    NAME, WRITTEN = "Bpref", "Bpref,IoU>=mu"

    iou: Threshold
    least_grade: float = 1.0

    def per_query(self, alignment: Alignment) -> FloatArray:
        truth, judged = alignment.ground_truth, alignment.judged()
        own, relevant = truth.query[judged] - alignment.first_query, truth.grade[judged] >= self.least_grade
        wanted = np.bincount(own[relevant], minlength=len(alignment))
        unwanted = np.bincount(own[~relevant], minlength=len(alignment))

        prediction, moment = alignment.taken(self.iou)
        query, hit = alignment.query[prediction], truth.grade[moment] >= self.least_grade
        miss = np.zeros(len(alignment.query), dtype=np.bool_)
        miss[prediction[~hit]] = True
        query_of_hit = query[hit]
        above = np.minimum(alignment.count_above(miss)[prediction[hit]], wanted[query_of_hit])
        # Nothing stands above where no judged moment is non-relevant: then the bound may be 0.
        lost = above / np.maximum(1, np.minimum(wanted, unwanted)[query_of_hit])
        total = np.bincount(query_of_hit, 1.0 - lost, minlength=len(alignment))
        return np.divide(total, wanted, out=np.zeros(len(alignment)), where=wanted > 0)
