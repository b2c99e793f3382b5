"""RBP(p=x),IoU>=mu and its residual: what is known of a list, and how much isn't."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..measures.measure import Measure, Number
from ..moments.alignment import Alignment, Threshold


@dataclass(frozen=True)
class RBP(Measure):
    """Rank-biased precision, in [0, 1]: (1 - p) sum over the ranks k of p^(k - 1) gain(k).

    A user who has looked at one moment goes on to the next with probability p. Predictions take judged moments as in
    NDCG, each moment at most once. The gain is 1 for a relevant moment and 0 for anything else; ``RBP(p=x,graded)``:
    grade / the highest grade of the ground truth (``rel>=g`` then leaves lower grades without gain).

    ``RBP(p=x,residual)`` is what the score could still gain: the weights of all unjudged predictions and of every rank
    past the end of the list (past K, with ``@K``). The true value lies between RBP and RBP + residual whatever grades
    they would get, as long as a prediction that has a judged moment keeps it. A prediction whose judged moments were
    all taken above it is known, and gains 0.

    Relevant: grade >= 1 (or ``rel>=g``). Boundary: as written. A query without predictions scores 0, with residual 1.
    On fixed moments, each returned once, it is ir_measures' ``RBP(p=x, rel=1)``, which needs cwl-eval.
    Source: Moffat and Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness (TOIS 2008), sections
    3 and 4.3.
    """

    NAME, WRITTEN = "RBP", "RBP(p=x),IoU>=mu or RBP(p=x,residual),IoU>=mu"
    OPTIONS = {"graded": ("graded", True), "residual": ("residual", True)}
    NUMBERS = {"p": Number("persistence", "the persistence p", "between 0 and 1", lambda p: 0 < p < 1)}

    persistence: float
    iou: Threshold
    cutoff: int | None = None
    least_grade: float = 1.0
    graded: bool = False
    residual: bool = False

    @property
    def of_whole_truth(self) -> bool:
        return self.graded

    @property
    def additive(self) -> bool:
        return not self.graded

    def per_query(self, alignment: Alignment) -> FloatArray:
        shown = np.ones(len(alignment.rank), dtype=np.bool_)
        if self.cutoff is not None:
            shown = alignment.rank < self.cutoff
        weight = np.where(shown, (1.0 - self.persistence) * self.persistence**alignment.rank, 0.0)
        if self.residual:
            unknown = ~alignment.reaches(self.iou)
            length = np.bincount(alignment.query[shown], minlength=len(alignment))
            missing = np.bincount(alignment.query[unknown], weight[unknown], minlength=len(alignment))
            rest: FloatArray = missing + self.persistence**length
            return rest
        prediction, moment = alignment.taken(self.iou)
        grade = alignment.ground_truth.grade[moment]
        gain = (grade >= self.least_grade).astype(np.float64)
        if self.graded:
            gain *= grade / max(1e-300, float(alignment.ground_truth.grade.max(initial=0.0)))
        return np.bincount(alignment.query[prediction], gain * weight[prediction], minlength=len(alignment)).astype(
            np.float64
        )
