"""The room's tables, by noun. What may happen to their rows: `annotation/batches/states.md`."""

from annotation.models.computed import Computed
from annotation.models.guidelines import Guideline, GuidelineDraft, PracticeAnswer, WorkedItem
from annotation.models.judging import Assignment, Batch, Flag, Judgment, Pair, Seat
from annotation.models.machine_judges import MachineJudge, MachineJudging, MachineJudgment, MachineReply
from annotation.models.notices import Notice, NoticeRead, Question
from annotation.models.opening import Opening
from annotation.models.people import AlertDismissal, StatusChange
from annotation.models.qualification import Exam, ExamAnswer, ExamItem, ExamSitting, Invitation, InvitationUse
from annotation.models.recruiting import Recruit, Recruitment, RecruitSession
from annotation.models.repeats import Repeat, RepeatAnswer
from annotation.models.review import Adjudication, FormerReview, Review
from annotation.models.sampling import SampledUnit, SamplingDesign, SamplingStage, SamplingStratum
from annotation.models.spans import JudgedSpan, SpanRuling
from annotation.models.studies import Study
from annotation.models.work import RateChange, TimeCorrection, WorkClock

__all__ = [
    "Adjudication",
    "AlertDismissal",
    "Assignment",
    "Batch",
    "Computed",
    "Exam",
    "ExamAnswer",
    "ExamItem",
    "ExamSitting",
    "Flag",
    "FormerReview",
    "Guideline",
    "GuidelineDraft",
    "Invitation",
    "InvitationUse",
    "JudgedSpan",
    "Judgment",
    "MachineJudge",
    "MachineJudging",
    "MachineJudgment",
    "MachineReply",
    "Notice",
    "NoticeRead",
    "Opening",
    "Pair",
    "PracticeAnswer",
    "Question",
    "RateChange",
    "Recruit",
    "RecruitSession",
    "Recruitment",
    "Repeat",
    "RepeatAnswer",
    "Review",
    "SampledUnit",
    "SamplingDesign",
    "SamplingStage",
    "SamplingStratum",
    "Seat",
    "SpanRuling",
    "StatusChange",
    "Study",
    "TimeCorrection",
    "WorkClock",
    "WorkedItem",
]
