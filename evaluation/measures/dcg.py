"""DCG@K with the overlap as gain."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import FloatArray
from ..measures.measure import Measure, discount
from ..moments.alignment import Alignment


@dataclass(frozen=True)
class DCG(Measure):
    """Sum over k = 1..K of IoU(k) / log2(k + 1), in [0, sum of the discounts].

    A prediction's IoU is its largest with a relevant moment of its video; one moment may serve
    several predictions, so redundant moments are paid again: that is why this measure has MON-k
    but not INV-k. Not normalised.

    ``DCG(graded)@K`` (ours): the IoU counts times the moment's grade.
    No boundary. Ranks past the end of a list gain 0; so do unjudged moments.
    Source: AxIoU (CVPR 2022), supplement, equation 7.
    """

    NAME, WRITTEN = "DCG", "DCG@K"
    OPTIONS = {"graded": ("graded", True)}

    cutoff: int
    graded: bool = False
    least_grade: float = 1.0

    @property
    def additive(self) -> bool:
        return True

    def greatest(self, top_grade: float) -> float:
        return float(discount(self.cutoff).sum()) * (top_grade if self.graded else 1.0)

    def per_query(self, alignment: Alignment) -> FloatArray:
        table = alignment.ranked(alignment.best_iou(self.least_grade, graded=self.graded), self.cutoff)
        value: FloatArray = table @ discount(table.shape[1])
        return value
