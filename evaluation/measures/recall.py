"""R@K,IoU>mu: was a relevant moment found among the first K?"""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import FloatArray
from ..measures.measure import OverlapMeasure
from ..moments.alignment import Alignment


@dataclass(frozen=True)
class Recall(OverlapMeasure):
    """1 if one of the first K predictions overlaps a relevant moment enough, else 0.

    With one relevant moment a query this is the R@K,mu of moment retrieval. With several, or
    with grades (our generalisation), any moment of its video with grade >= 1 (or ``rel>=g``)
    counts, and one found is enough, as in the R@K of QVHighlights.

    Boundary: as written. AxIoU's and most papers' code takes >, TVR's takes >=.
    Fewer than K predictions: those there are. Unjudged moments are misses.
    Source: Gao et al., TALL (ICCV 2017); AxIoU (CVPR 2022), section 3, and its src/toolbox/eval.py.
    """

    NAME, WRITTEN = "R", "R@K,IoU>mu"

    def per_query(self, alignment: Alignment) -> FloatArray:
        best = alignment.best_iou(self.least_grade)
        # A prediction of another video overlaps nothing, whatever the boundary: it has no pair.
        return alignment.any_within(alignment.paired(self.least_grade) & self.iou.passes(best), self.cutoff)
