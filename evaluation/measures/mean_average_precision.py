"""mAP: average precision per query, over matched moments or over videos (macro average)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..measures.measure import Measure
from ..moments.alignment import Alignment, Threshold


@dataclass(frozen=True)
class MAP(Measure):
    """Mean average precision, in [0, 1]: AP = (1/R) sum over the hits at rank k of hits(k) / k.

    ``mAP,IoU>=mu`` ranks moments: predictions take relevant moments as in NDCG, each moment at
    most once; a hit is a prediction that took one; R is how many relevant moments the query has.
    ``mAP(video)`` ranks videos, each at its first prediction: a hit is a video with a relevant
    moment; R is how many such videos there are. ``@K`` looks at the first K only; R stays.
    ``mAP(condensed),IoU>=mu`` takes predictions that reach no judged moment, whatever its grade, out of the lists
    before it counts ranks: AP' on condensed lists, also known as induced AP.

    Relevant: grade >= 1 (or ``rel>=g``). Boundary: as written. Equal IoU: higher grade, then
    file order. Unjudged moments are misses. Queries without a relevant moment have no value and
    are left out of the mean, as in the source's code; queries without predictions score 0.
    Source: HAP-VR (arXiv 2407.15566), supplement, equation 2; its datasets/fivr.py. Condensed lists: Sakai,
    Alternatives to Bpref (SIGIR 2007); Yilmaz and Aslam (CIKM 2006).
    """

    NAME, WRITTEN = "mAP", "mAP,IoU>=mu or mAP(video) or mAP(condensed),IoU>=mu"
    OPTIONS = {"video": ("iou", None), "condensed": ("condensed", True)}

    iou: Threshold | None
    cutoff: int | None = None
    least_grade: float = 1.0
    condensed: bool = False

    @property
    def depth(self) -> int | None:
        return self.cutoff if self.iou and not self.condensed else None

    @property
    def needs_times(self) -> bool:
        return self.iou is not None

    def per_query(self, alignment: Alignment) -> FloatArray:
        query, rank, hit, _ = judged_ranking(
            alignment, self.iou, self.cutoff, self.least_grade, condensed=self.condensed
        )
        relevant = relevant_per_query(alignment, self.iou, self.least_grade)
        hits = np.cumsum(hit)
        before = np.zeros(len(alignment) + 1, dtype=np.int64)
        np.cumsum(np.bincount(query[hit], minlength=len(alignment)), out=before[1:])
        precision = (hits[hit] - before[query[hit]]) / (rank[hit] + 1)
        total = np.bincount(query[hit], precision, minlength=len(alignment))
        value = np.full(len(alignment), np.nan)
        np.divide(total, relevant, out=value, where=relevant > 0)
        return value


def judged_ranking(
    alignment: Alignment, iou: Threshold | None, cutoff: int | None, least_grade: float, *, condensed: bool = False
) -> tuple[IntArray, IntArray, BoolArray, FloatArray]:
    """What is ranked, in order: query, rank (0 first), hit or not, and score of each item.

    Args: condensed: of moments, those alone that are judged, at their ranks among each other.
    """
    if iou is not None:
        hit = np.zeros(len(alignment.query), dtype=np.bool_)
        hit[alignment.taken(iou, least_grade)[0]] = True
        query, rank, score = alignment.query, alignment.rank, alignment.score
        if condensed:
            kept = alignment.reaches(iou)
            query, rank, hit, score = query[kept], alignment.condensed_rank(iou)[kept], hit[kept], score[kept]
    else:
        first, rank = alignment.distinct_videos()
        query, score = alignment.query[first], alignment.score[first]
        hit = alignment.paired(least_grade)[first]
    if cutoff is not None:
        shown = rank < cutoff
        query, rank, hit, score = query[shown], rank[shown], hit[shown], score[shown]
    return query, rank, hit, score


def relevant_per_query(alignment: Alignment, iou: Threshold | None, least_grade: float) -> IntArray:
    """How many relevant moments (or videos with one) each query has, shape (Q,)."""
    truth, judged = alignment.ground_truth, alignment.judged()
    chosen = truth.grade[judged] >= least_grade
    query = truth.query[judged][chosen] - alignment.first_query
    if iou is None:
        videos = max(1, len(truth.video_names))
        query = np.unique(query * videos + truth.video[judged][chosen]) // videos
    return np.bincount(query, minlength=len(alignment)).astype(np.int64)
