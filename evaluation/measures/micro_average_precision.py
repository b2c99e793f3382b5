"""uAP: one average precision over the predictions of all queries together (micro average)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import EvaluationError
from ..measures.mean_average_precision import judged_ranking, relevant_per_query
from ..measures.measure import JointRanking, RunMeasure
from ..moments.alignment import Alignment, Threshold


@dataclass(frozen=True)
class MicroAP(RunMeasure):
    """Micro average precision, in [0, 1]: all predictions of all queries in one ranking by score.

    Hits are those of mAP (``uAP,IoU>=mu`` over moments, ``uAP(video)`` over videos); the
    ranking joins all queries by score, so it also asks whether scores are comparable between
    queries. uAP = (1/R) sum over the hits at joint rank k of hits(k) / k, R the relevant moments
    (or videos) of all queries; 0 if there are none.

    Equal scores: ground truth's query order, then rank. Every prediction needs a score.
    ``@K`` takes the first K of each query into the joint ranking. A query without predictions
    still counts in R (under ``released`` it does not).
    Source: HAP-VR (arXiv 2407.15566), supplement, equation 3; its datasets/fivr.py.
    """

    NAME, WRITTEN = "uAP", "uAP,IoU>=mu or uAP(video)"
    OPTIONS = {"video": ("iou", None)}

    iou: Threshold | None
    cutoff: int | None = None
    least_grade: float = 1.0

    @property
    def depth(self) -> int | None:
        return self.cutoff if self.iou else None

    @property
    def needs_times(self) -> bool:
        return self.iou is not None

    def part(self, alignment: Alignment, *, answered_only: bool) -> JointRanking:
        """Raises: EvaluationError if a prediction has no score."""
        _, _, hit, score = judged_ranking(alignment, self.iou, self.cutoff, self.least_grade)
        if np.isnan(score).any():
            raise EvaluationError(
                f"{self} joins the predictions of all queries by score, "
                f"but {alignment.run.name} has predictions without one"
            )
        relevant = relevant_per_query(alignment, self.iou, self.least_grade)
        return JointRanking(hit, score, int(relevant[alignment.answered].sum() if answered_only else relevant.sum()))

    def of_run(self, parts: Sequence[JointRanking]) -> float:
        relevant = sum(part.relevant for part in parts)
        order = np.argsort(-np.concatenate([part.score for part in parts]), kind="stable")
        place = np.flatnonzero(np.concatenate([part.hit for part in parts])[order])
        return float((np.arange(1, len(place) + 1) / (place + 1)).sum() / relevant) if relevant else 0.0
