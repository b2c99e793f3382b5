"""NCxIoU@K: the best overlap so far, averaged over where users stop; AxIoU with other users."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..measures.axiou import best_so_far
from ..measures.measure import Measure, Number
from ..moments.alignment import Alignment


@dataclass(frozen=True)
class NCxIoU(Measure):
    """Normalised cumulative max IoU: sum over k = 1..K of p(k) max over i <= k of IoU(i), in [0, 1].

    p(k) is the share of users who stop at rank k; over 1..K it sums to 1. The paper takes them all alike,
    p(k) = 1/K, which is AxIoU@K, and leaves other distributions as future work. Ours is
    ``NCxIoU(persistence=x)@K``, with x in (0, 1]: a user who has looked at one moment looks at the next with
    probability x, so p(k) is x^(k - 1) divided by the sum of these over 1..K. Low x asks for the best moment
    at the top, x = 1 is AxIoU@K.

    As p(k) > 0 doesn't depend on the overlaps, it satisfies INV-k and MON-k as AxIoU does. (The cascade of expected
    reciprocal rank, the paper's example, makes p depend on them.) Ranks past the end of a list keep the best so far.

    Several relevant moments (ours): the best of them counts. Gain: the IoU itself, no boundary.
    Source: AxIoU (CVPR 2022), section 4.1, equations 2 to 4, and section 7; p(k) is that of rank-biased precision
    (Moffat and Zobel, TOIS 2008), cut off at K.
    """

    NAME, WRITTEN = "NCxIoU", "NCxIoU(persistence=x)@K"
    NUMBERS = {
        "persistence": Number("persistence", "the persistence", "above 0 and at most at 1", lambda x: 0 < x <= 1)
    }

    cutoff: int
    persistence: float
    least_grade: float = 1.0

    def per_query(self, alignment: Alignment) -> FloatArray:
        table = best_so_far(alignment, self.cutoff, self.least_grade)
        share = self.persistence ** np.arange(self.cutoff, dtype=np.float64)
        share /= share.sum()
        reached = table.shape[1]  # at the ranks beyond, which no list reaches, the best so far stands
        value: FloatArray = table @ share[:reached] + table[:, -1] * share[reached:].sum()
        return value
