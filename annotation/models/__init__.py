"""The room's tables, by noun. What may happen to their rows: `annotation/batches/states.md`."""

from annotation.models.computed import Computed
from annotation.models.consent import (
    ConsentAct,
    ConsentDraft,
    ConsentText,
    OnWithdrawal,
    SurveyAnswer,
    SurveyCounted,
    SurveyQuestion,
    SurveySum,
)
from annotation.models.factors import Factor, JudgedFactor
from annotation.models.guidelines import Guideline, GuidelineDraft, PracticeAnswer, WorkedItem
from annotation.models.judging import Assignment, Batch, Flag, Judgment, Pair, Seat, Used
from annotation.models.machine_judges import MachineJudge, MachineJudging, MachineJudgment, MachineReply
from annotation.models.notices import Notice, NoticeRead, Question
from annotation.models.opening import Opening
from annotation.models.people import AlertDismissal, StatusChange
from annotation.models.qualification import Exam, ExamAnswer, ExamItem, ExamSitting, Invitation, InvitationUse
from annotation.models.recruiting import Recruit, Recruitment, RecruitSession
from annotation.models.repeats import GoldPair, Repeat, RepeatAnswer
from annotation.models.review import Adjudication, FormerReview, Review
from annotation.models.sampling import SampledUnit, SamplingDesign, SamplingStage, SamplingStratum
from annotation.models.set_aside import SetAside
from annotation.models.spans import JudgedSpan, SpanRuling
from annotation.models.studies import Study
from annotation.models.work import RateChange, TimeCorrection, WorkClock

__all__ = [
    "Adjudication",
    "AlertDismissal",
    "Assignment",
    "Batch",
    "Computed",
    "ConsentAct",
    "ConsentDraft",
    "ConsentText",
    "Exam",
    "ExamAnswer",
    "ExamItem",
    "ExamSitting",
    "Factor",
    "Flag",
    "FormerReview",
    "GoldPair",
    "Guideline",
    "GuidelineDraft",
    "Invitation",
    "InvitationUse",
    "JudgedFactor",
    "JudgedSpan",
    "Judgment",
    "MachineJudge",
    "MachineJudging",
    "MachineJudgment",
    "MachineReply",
    "Notice",
    "NoticeRead",
    "OnWithdrawal",
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
    "SetAside",
    "SpanRuling",
    "StatusChange",
    "Study",
    "SurveyAnswer",
    "SurveyCounted",
    "SurveyQuestion",
    "SurveySum",
    "TimeCorrection",
    "Used",
    "WorkClock",
    "WorkedItem",
]
