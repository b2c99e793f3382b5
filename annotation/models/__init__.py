"""The room's tables, by noun. What may happen to their rows: `annotation/states.md`."""

from annotation.models.computed import Computed
from annotation.models.guidelines import Guideline, GuidelineDraft, PracticeAnswer, WorkedItem
from annotation.models.judging import Assignment, Batch, Flag, Judgment, Pair, Review, Seat
from annotation.models.qualification import Exam, ExamAnswer, ExamItem, ExamSitting, Invitation, InvitationUse
from annotation.models.work import TimeCorrection

__all__ = [
    "Assignment",
    "Batch",
    "Computed",
    "Exam",
    "ExamAnswer",
    "ExamItem",
    "ExamSitting",
    "Flag",
    "Guideline",
    "GuidelineDraft",
    "Invitation",
    "InvitationUse",
    "Judgment",
    "Pair",
    "PracticeAnswer",
    "Review",
    "Seat",
    "TimeCorrection",
    "WorkedItem",
]
