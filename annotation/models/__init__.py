"""The room's tables, by noun. What may happen to their rows: `annotation/states.md`."""

from annotation.models.guidelines import Guideline, GuidelineDraft, PracticeAnswer, WorkedItem
from annotation.models.judging import Assignment, Batch, Flag, Judgment, Pair, Review, Seat
from annotation.models.notices import Notice, NoticeRead, Question
from annotation.models.qualification import Exam, ExamAnswer, ExamItem, ExamSitting, Invitation, InvitationUse
from annotation.models.work import TimeCorrection

__all__ = [
    "Assignment",
    "Batch",
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
    "Notice",
    "NoticeRead",
    "Pair",
    "PracticeAnswer",
    "Question",
    "Review",
    "Seat",
    "TimeCorrection",
    "WorkedItem",
]
