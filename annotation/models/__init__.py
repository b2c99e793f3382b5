"""The room's tables, by noun. What may happen to their rows: `annotation/states.md`."""

from annotation.models.judging import Assignment, Batch, Flag, Judgment, Pair, Review, Seat
from annotation.models.work import TimeCorrection

__all__ = ["Assignment", "Batch", "Flag", "Judgment", "Pair", "Review", "Seat", "TimeCorrection"]
