"""mIoU: how well the best of the first K predictions overlaps."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import FloatArray
from ..measures.measure import Measure
from ..moments.alignment import Alignment


@dataclass(frozen=True)
class MeanIoU(Measure):
    """The largest IoU of the first K predictions with a relevant moment, in [0, 1].

    ``mIoU`` is ``mIoU@1``, the mean IoU of the moment retrieval papers: the first prediction's
    IoU. For K > 1 it is what the best of K would reach. Moments are relevant from grade 1 on
    (or ``rel>=g``); of several the best counts. No boundary; unjudged moments are worth 0.
    Source: Gao et al., TALL (ICCV 2017); Yuan et al. (AAAI 2019) for the mean.
    """

    NAME, WRITTEN = "mIoU", "mIoU"

    cutoff: int = 1
    least_grade: float = 1.0

    def per_query(self, alignment: Alignment) -> FloatArray:
        best: FloatArray = alignment.ranked(alignment.best_iou(self.least_grade), self.cutoff).max(axis=1)
        return best
