"""R@K,IoU>mu: was a relevant moment found among the first K?"""

from __future__ import annotations

from dataclasses import dataclass, replace

from evaluation.alignment import Alignment, Threshold
from evaluation.arrays import FloatArray
from evaluation.measures.measure import Measure, check_cutoff, suffix


@dataclass(frozen=True)
class Recall(Measure):
    """1 if one of the first K predictions overlaps a relevant moment enough, else 0.

    With one relevant moment a query this is the R@K,mu of moment retrieval. With several, or
    with grades (our generalisation), any moment of its video with grade >= 1 (or ``rel>=g``)
    counts, and one found is enough, as in the R@K of QVHighlights.

    Boundary: as written. AxIoU's and most papers' code takes >, TVR's takes >=.
    Fewer than K predictions: those there are. Unjudged moments are misses.
    Source: Gao et al., TALL (ICCV 2017); AxIoU (CVPR 2022), section 3, and its src/toolbox/eval.py.
    """

    cutoff: int
    iou: Threshold
    least_grade: float = 1.0

    def __post_init__(self) -> None:
        check_cutoff(self.cutoff)

    def __str__(self) -> str:
        return f"R@{self.cutoff},{self.iou}{suffix(self.least_grade)}"

    @property
    def depth(self) -> int:
        return self.cutoff

    def released(self) -> Recall:
        return replace(self, iou=replace(self.iou, strict=True))

    def per_query(self, alignment: Alignment) -> FloatArray:
        best = alignment.best_iou(self.least_grade)
        # A prediction of another video overlaps nothing, whatever the boundary: it has no pair.
        return alignment.any_within(alignment.paired(self.least_grade) & self.iou.passes(best), self.cutoff)
