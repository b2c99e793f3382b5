"""AP@K,IoU>mu: average precision in which every overlapping prediction counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.alignment import Alignment
from evaluation.arrays import FloatArray
from evaluation.measures.measure import OverlapMeasure


@dataclass(frozen=True)
class AP(OverlapMeasure):
    """Mean of the precision at each hit among the first K predictions, in [0, 1].

    A hit is a prediction whose IoU with a relevant moment of its video reaches the boundary;
    hits(k) counts them up to rank k. AP@K = (1 / hits(K)) sum over the hits k of hits(k) / k,
    and 0 without a hit. As in the AxIoU supplement one moment may be hit several times: that is
    why redundant moments change it (no INV-k); and a better overlap on the same side of the
    boundary is not paid (no MON-k).
    For AP in which every moment is found at most once and missing ones cost, see mAP.

    Several relevant moments or grades (ours): any moment with grade >= 1 (or ``rel>=g``) counts.
    Boundary: as written. Unjudged moments are misses.
    Source: AxIoU (CVPR 2022), supplement, equations 4 and 5.
    """

    NAME = "AP"

    def per_query(self, alignment: Alignment) -> FloatArray:
        best = alignment.best_iou(self.least_grade)
        hit = alignment.paired(self.least_grade) & self.iou.passes(best)
        hits = alignment.ranked(hit.astype(np.float64), self.cutoff)
        precision = np.cumsum(hits, axis=1) / np.arange(1, hits.shape[1] + 1)
        found = hits.sum(axis=1)
        value = np.zeros(len(alignment))
        np.divide((precision * hits).sum(axis=1), found, out=value, where=found > 0)
        return value
