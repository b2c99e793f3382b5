"""SVMR@K,IoU>=mu: TVR's recall of moment retrieval inside the right video."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..measures.measure import OverlapMeasure
from ..moments.alignment import Alignment


@dataclass(frozen=True)
class SVMR(OverlapMeasure):
    """1 if one of the first K predictions *of the right video* overlaps its moment enough.

    Predictions of other videos are passed over, they don't use up ranks. With relevant moments
    in several videos (ours) the query's value is the mean over those videos, each judged alone;
    in TVR there is one. A query without a relevant moment scores 0.

    Boundary: as written, TVR's is >=. Relevant: grade >= 1 (or ``rel>=g``).
    Source: Lei et al., TVR (ECCV 2020), section 5; its standalone_eval/eval.py.
    """

    NAME, WRITTEN = "SVMR", "SVMR@K,IoU>=mu"

    @property
    def depth(self) -> None:
        # Ranks count inside a video, wherever in the list they are.
        return None

    def per_query(self, alignment: Alignment) -> FloatArray:
        truth, judged = alignment.ground_truth, alignment.judged()
        videos = max(1, len(truth.video_names))
        chosen = truth.grade[judged] >= self.least_grade
        query = truth.query[judged][chosen] - alignment.first_query
        wanted = np.unique(query * videos + truth.video[judged][chosen])
        hit_in_video = np.zeros(len(wanted))

        hit = np.flatnonzero(
            alignment.paired(self.least_grade)
            & self.iou.passes(alignment.best_iou(self.least_grade))
            & (alignment.rank_in_video() < self.cutoff)
        )
        video = truth.video[alignment.first_pair_moment()[hit]]
        hit_in_video[np.searchsorted(wanted, alignment.query[hit] * videos + video)] = 1.0
        of_query = wanted // videos
        total = np.bincount(of_query, minlength=len(alignment))
        reached = np.bincount(of_query, hit_in_video, minlength=len(alignment))
        return np.divide(reached, total, out=np.zeros(len(alignment)), where=total > 0)
