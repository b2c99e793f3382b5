"""The measures that are computed where nobody names any: those of the papers."""

from __future__ import annotations

from ..moments.ground_truth import GroundTruth

GRADED = [f"NDCG@{cutoff},IoU>={iou}" for cutoff in (10, 20, 40) for iou in (0.3, 0.5, 0.7)]
"""The measures of the TVR-Ranking paper."""
SINGLE = [f"R@{cutoff},IoU>{iou}" for cutoff in (1, 5, 10) for iou in (0.3, 0.5, 0.7)] + [
    f"AxIoU@{cutoff}" for cutoff in (1, 5, 10)
]
"""The measures of the AxIoU paper."""


def usual_measures(ground_truth: GroundTruth) -> list[str]:
    """AxIoU's twelve where each query has one moment of grade 1, TVR-Ranking's nine otherwise."""
    single = len(ground_truth.grade) == len(ground_truth) and bool((ground_truth.grade == 1).all())
    return SINGLE if single else GRADED


def usual_measure(ground_truth: GroundTruth) -> str:
    """The one measure by which systems are ordered where nobody names one."""
    return "AxIoU@5" if usual_measures(ground_truth) == SINGLE else "NDCG@20,IoU>=0.5"
