"""mAP as QVHighlights and ActivityNet compute it: interpolated, at one IoU or over 0.5 to 0.95."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..measures.mean_average_precision import judged_ranking, relevant_per_query
from ..measures.measure import Measure
from ..moments.alignment import Alignment, Threshold

STEP = 0.05


@dataclass(frozen=True)
class InterpolatedMAP(Measure):
    """Interpolated mean average precision, in [0, 1]: AP = (1/R) sum over the hits at rank k of max P(j) over j >= k.

    ``mAP(interpolated),IoU>=mu``: hits and R are those of ``mAP,IoU>=mu``; P(j) = hits(j) / j is the precision at rank
    j, and a hit counts with the best precision at its own rank or any later one, so that a hit further down never
    counts more than one above it. ``mAP(interpolated),IoU>=mu:nu`` is the mean of a query's AP over the thresholds mu,
    mu + 0.05, ..., nu: QVHighlights reports ``mAP(interpolated)@10,IoU>=0.5:0.95`` as "MR-full-mAP" and
    ``mAP(interpolated)@10,IoU>=0.5`` as "MR-full-mAP@0.5", times 100. ``@K`` looks at the first K by score; R stays.

    Relevant: grade >= 1 (or ``rel>=g``); grades beyond that gain nothing. Boundary: as written, in the source >=.
    Equal IoU: higher grade, then file order. Unjudged moments are misses. Queries without a relevant moment have no
    value and are left out of the mean; queries without predictions score 0. The source differs in three edges: it cuts
    to ten in file order and sorts then, it leaves queries without predictions out, and of windows with equal IoU it
    takes any.
    Source: Lei et al., Detecting Moments and Highlights in Videos via Natural Language Queries (NeurIPS 2021),
    section 5; the code jayleicn/moment_detr, standalone_eval; interpolation: Everingham et al., PASCAL VOC 2011.
    """

    NAME = "mAP(interpolated)"
    WRITTEN = "mAP(interpolated)@K,IoU>=mu or mAP(interpolated)@K,IoU>=mu:nu"

    iou: Threshold
    last: float | None = None
    cutoff: int | None = None
    least_grade: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.last is not None and not self.iou.value < self.last <= 1:
            raise ValueError(f"the last IoU is above {self.iou.value:g} and at most 1, not {self.last:g}")

    @property
    def thresholds(self) -> list[Threshold]:
        """The boundaries over which the mean is taken."""
        steps = 0 if self.last is None else int((self.last - self.iou.value) / STEP + 1e-9)
        return [replace(self.iou, value=round(self.iou.value + step * STEP, 10)) for step in range(steps + 1)]

    def per_query(self, alignment: Alignment) -> FloatArray:
        relevant = relevant_per_query(alignment, self.iou, self.least_grade)
        total = np.zeros(len(alignment))
        thresholds = self.thresholds
        for iou in thresholds:
            query, rank, hit, _ = judged_ranking(alignment, iou, self.cutoff, self.least_grade)
            total += np.bincount(query[hit], _best_to_come(query, rank, hit), minlength=len(alignment))
        value = np.full(len(alignment), np.nan)
        np.divide(total, relevant * len(thresholds), out=value, where=relevant > 0)
        return value


def _best_to_come(query: IntArray, rank: IntArray, hit: BoolArray) -> FloatArray:
    """For each hit, in order, the best precision at its rank or a later one of its query."""
    place = np.flatnonzero(hit)
    own = query[place]
    nth = np.arange(len(own)) - np.searchsorted(own, own)
    precision = np.zeros((int(own.max(initial=-1)) + 1, int(nth.max(initial=-1)) + 1))
    precision[own, nth] = (nth + 1) / (rank[place] + 1)
    best: FloatArray = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1][own, nth]
    return best
