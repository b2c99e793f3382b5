"""AP@K,IoU>mu: precision averaged over the ranks (AxIoU's) or over the hits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import FloatArray
from ..measures.measure import OverlapMeasure
from ..moments.alignment import Alignment


@dataclass(frozen=True)
class AP(OverlapMeasure):
    """Average precision of the first K predictions, in [0, 1].

    A hit is a prediction whose IoU with a relevant moment of its video reaches the boundary;
    hits(k) counts them up to rank k.

    ``AP@K,IoU>mu``: AP@K = (1/K) sum over k = 1..K of hits(k) / k, the precision averaged over all
    K ranks. Ranks past the end of a list are misses.
    ``AP(hits)@K,IoU>mu`` (ours): (1 / hits(K)) sum over the hits k of hits(k) / k, the precision
    averaged over the hits alone, 0 without a hit: how few misses stand before what was found.

    One moment may be hit several times. Redundant hits raise AP (no INV-k; a system without
    non-maximum suppression gains by them), and can lower AP(hits). A better overlap on the same
    side of the boundary changes neither (no MON-k).
    For AP in which every moment is found at most once and missing ones cost, see mAP.

    Several relevant moments or grades (ours): any moment with grade >= 1 (or ``rel>=g``) counts.
    Boundary: as written, the paper's is >. Unjudged moments are misses.
    Source: AxIoU (CVPR 2022), supplement A.3, equations 4 and 5. AP(hits) is the average
    precision of text retrieval (Manning et al. 2008, section 8.4) with the hits for the relevant documents.
    """

    NAME, WRITTEN = "AP", "AP@K,IoU>mu or AP(hits)@K,IoU>mu"
    OPTIONS = {"hits": ("over", "hits")}

    over: Literal["ranks", "hits"] = "ranks"

    def per_query(self, alignment: Alignment) -> FloatArray:
        best = alignment.best_iou(self.least_grade)
        hit = alignment.paired(self.least_grade) & self.iou.passes(best)
        hits = alignment.ranked(hit.astype(np.float64), self.cutoff)
        depth, hit_count = hits.shape[1], hits.sum(axis=1)
        precision = np.cumsum(hits, axis=1) / np.arange(1, depth + 1)
        if self.over == "ranks":
            # Ranks that no list reaches are misses: their precision is found / k.
            beyond = (1.0 / np.arange(depth + 1, self.cutoff + 1)).sum()
            value: FloatArray = (precision.sum(axis=1) + hit_count * beyond) / self.cutoff
            return value
        value = np.zeros(len(alignment))
        np.divide((precision * hits).sum(axis=1), hit_count, out=value, where=hit_count > 0)
        return value
