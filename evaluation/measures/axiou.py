"""AxIoU@K: the mean, over the first K ranks, of the best overlap so far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..measures.measure import Measure
from ..moments.alignment import Alignment


@dataclass(frozen=True)
class AxIoU(Measure):
    """Average max IoU: (1/K) sum over k = 1..K of max over i <= k of IoU(i), in [0, 1].

    A prediction's IoU is its largest with a relevant moment of its video, 0 if there is none.
    Ranks past the end of a list keep the best so far, as the authors' code has it.

    Several relevant moments (ours): the best of them counts. ``AxIoU(graded)@K`` (ours): the
    IoU counts times grade / the query's highest grade, so that a perfect hit on a half-relevant
    moment is worth half; with one relevant moment, or grades all alike, it is AxIoU@K.

    Gain: the IoU itself, no boundary. It satisfies INV-k (a redundant moment changes nothing)
    and MON-k (a better best moment is worth more) of the paper, and is the mean over k = 1..K of the integral of
    R@k,IoU>mu over mu in 0..1.
    Source: Togashi et al., AxIoU (CVPR 2022, arXiv 2203.16062), section 4.1, equation 5, and 4.2, equations 6 to 8;
    supplement A.5, properties 7 and 8; src/toolbox/eval.py.
    """

    NAME, WRITTEN = "AxIoU", "AxIoU@K"
    OPTIONS = {"graded": ("graded", True)}

    cutoff: int
    graded: bool = False
    least_grade: float = 1.0

    def per_query(self, alignment: Alignment) -> FloatArray:
        table = best_so_far(alignment, self.cutoff, self.least_grade, graded=self.graded)
        beyond = self.cutoff - table.shape[1]  # ranks that no list reaches: the best so far stands
        value: FloatArray = (table.sum(axis=1) + beyond * table[:, -1]) / self.cutoff
        if self.graded:
            highest = alignment.highest_grade()
            np.divide(value, highest, out=value, where=highest > 0)
        return value


def best_so_far(alignment: Alignment, cutoff: int, least_grade: float, *, graded: bool = False) -> FloatArray:
    """The best overlap down to each rank, shape (Q, depth): the cutoff, or the longest list if it is shorter."""
    table = alignment.ranked(alignment.best_iou(least_grade, graded=graded), cutoff)
    np.maximum.accumulate(table, axis=1, out=table)
    return table
