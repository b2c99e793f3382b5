"""VR@K: TVR's recall of video retrieval."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import FloatArray
from ..measures.measure import Measure
from ..moments.alignment import Alignment


@dataclass(frozen=True)
class VideoRecall(Measure):
    """1 if one of the first K *videos* has a relevant moment, else 0.

    Videos are ranked by their first prediction; further predictions of the same video don't use
    up ranks. (TVR's lists for this task name each video once; then it is the same.) Times play
    no part. Relevant: a moment of grade >= 1 (or ``rel>=g``) in the video; unjudged videos miss.
    Source: Lei et al., TVR (ECCV 2020), section 5; its standalone_eval/eval.py.
    """

    NAME, WRITTEN = "VR", "VR@K"

    cutoff: int
    least_grade: float = 1.0

    @property
    def depth(self) -> None:
        # Ranks count videos, however many predictions each has.
        return None

    @property
    def needs_times(self) -> bool:
        return False

    def per_query(self, alignment: Alignment) -> FloatArray:
        first, rank = alignment.distinct_videos()
        hit = alignment.paired(self.least_grade)[first] & (rank < self.cutoff)
        return alignment.any_of(first[hit])
