"""The room's tables, by noun. What may happen to their rows: `annotation/states.md`."""

from annotation.models.judging import Assignment, Batch, Flag, Judgment, Pair, Review, Seat

__all__ = ["Assignment", "Batch", "Flag", "Judgment", "Pair", "Review", "Seat"]
