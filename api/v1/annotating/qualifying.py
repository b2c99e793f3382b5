"""An annotator's own way to judging: practice, exam, feedback, judging again; blind as on the pages."""

import uuid
from typing import Any

from pydantic import BaseModel, Field

from annotation.assignment.next_tasks import AT_HAND
from annotation.judging.requests import MOST_AHEAD, ItemGrade
from annotation.models import ExamItem, ExamSitting, WorkedItem
from annotation.qualification.exams import (
    ItemFeedback,
    answer_exam,
    begin_exam,
    exam_feedback,
    hand_in,
    items_left,
    judge_again,
    sitting_of,
    take_back_answer,
    why_not_begin,
)
from annotation.qualification.guidelines import Feedback, answer_practice, practice_of
from annotation.qualification.practice_page import feedback_json, task_json
from api.frame.calls import Call, Scope, Who, found_or_404
from api.frame.endpoints import Endpoints
from api.v1.judging import OwnScale, ScaleShown, TaskOut, refuse_far_grade, scale_shown
from foundation.models import Collection, Membership

endpoints = Endpoints("Training")
MINE: dict[str, Any] = {"scope": Scope.JUDGE, "who": Who.TRAINEE}


class FeedbackOut(BaseModel):
    """How a grade compares with the truth."""

    grade: int
    truth: float = Field(description="A half is possible.")
    out: bool = Field(description="More than 1 from the truth.")
    why: str


class Items(BaseModel):
    """The next items, how many of how many are done, and the feedback on what was sent."""

    tasks: list[TaskOut]
    done: int
    total: int
    feedback: FeedbackOut | None = Field(default=None, description="Of practice and of judging again.")
    scale: OwnScale = None


class OutItem(TaskOut):
    """An item that you judged, with the feedback on your first grade and on your newest."""

    first: FeedbackOut
    now: FeedbackOut


class Ahead(BaseModel):
    """How many items are wanted."""

    ahead: int = Field(AT_HAND, ge=1, le=MOST_AHEAD)


class UndoAnswer(BaseModel):
    """Which answer is taken back."""

    key: uuid.UUID | None = Field(None, description="Of the answer; null: your last.")


class Steps(BaseModel):
    """How far you are on the way to judging."""

    status: str
    guideline_confirmed: bool
    practice_done: int
    practice_items: int
    exam_done: int
    exam_items: int = Field(description="0 before you have begun it.")
    handed_in: bool
    why_not_begin: str = Field(description="Why you can't begin the exam; empty: you can, or have.")
    out: int = Field(description="Items to judge again.")


def _tasks(items: list[Any], collection: Collection) -> list[TaskOut]:
    return [TaskOut.model_validate(task_json(item, collection)) for item in items]


def _feedback(feedback: Feedback) -> FeedbackOut:
    return FeedbackOut.model_validate(feedback_json(feedback))


def _practice(member: Membership, ahead: int, feedback: Feedback | None = None) -> Items:
    state = practice_of(member)
    shown = _tasks(list[WorkedItem](state.left[:ahead]), member.collection)
    told, scale = _feedback(feedback) if feedback else None, scale_shown(member.collection)
    return Items(tasks=shown, done=state.done, total=state.items, feedback=told, scale=scale)


def _sitting(member: Membership) -> ExamSitting:
    return found_or_404(sitting_of(member))


def _exam(sitting: ExamSitting, ahead: int, first: uuid.UUID | None = None) -> Items:
    left: list[ExamItem] = sorted(items_left(sitting), key=lambda item: item.public_id != first)
    total = sitting.exam.items.count()
    shown = _tasks(left[:ahead], sitting.exam.collection)
    return Items(tasks=shown, done=total - len(left), total=total, scale=_scale(sitting))


def _again(sitting: ExamSitting, feedback: Feedback | None = None) -> Items:
    rows = exam_feedback(sitting)
    out = [row.item for row in rows if row.now.out]
    total = sum(row.first.out for row in rows)
    shown = _tasks(out[:AT_HAND], sitting.exam.collection)
    told = _feedback(feedback) if feedback else None
    return Items(tasks=shown, done=total - len(out), total=total, feedback=told, scale=_scale(sitting))


def _scale(sitting: ExamSitting) -> ScaleShown | None:
    return scale_shown(sitting.applicant.collection)


@endpoints.read("/qualification", **MINE)
def get_qualification(call: Call) -> Steps:
    """How far you are: guideline, practice, exam, items to judge again."""
    return _steps(call.member)


def _steps(member: Membership) -> Steps:
    practice, sitting = practice_of(member), sitting_of(member)
    total = sitting.exam.items.count() if sitting else 0
    return Steps(
        status=member.status,
        guideline_confirmed=member.knows_guideline,
        practice_done=practice.done,
        practice_items=practice.items,
        exam_done=total - len(items_left(sitting)) if sitting else 0,
        exam_items=total,
        handed_in=sitting is not None and sitting.handed_in_at is not None,
        why_not_begin="" if sitting else why_not_begin(member),
        out=sum(row.now.out for row in exam_feedback(sitting)) if sitting else 0,
    )


@endpoints.act("/practice/next", **MINE)
def next_practice_items(call: Call, asked: Ahead) -> Items:
    """The next practice items."""
    return _practice(call.member, asked.ahead)


@endpoints.act("/practice/grade", **MINE)
def grade_a_practice_item(call: Call, new: ItemGrade) -> Items:
    """Grade a practice item, and hear how it compares with the lead's grade."""
    refuse_far_grade(call, new)
    try:
        feedback = answer_practice(member=call.member, item_id=new.pair, grade=new.grade, played=new.played)
    except WorkedItem.DoesNotExist:
        feedback = found_or_404(None)
    return _practice(call.member, AT_HAND, feedback)


@endpoints.act("/exam/begin", **MINE)
def begin_own_exam(call: Call) -> Items:
    """Begin the exam, or go on with it."""
    return _exam(begin_exam(member=call.member), AT_HAND)


@endpoints.act("/exam/next", **MINE)
def next_exam_items(call: Call, asked: Ahead) -> Items:
    """The next items of your exam; none once it is handed in."""
    return _exam(_sitting(call.member), asked.ahead)


@endpoints.act("/exam/grade", **MINE)
def grade_an_exam_item(call: Call, new: ItemGrade) -> Items:
    """Grade an item of your exam. Nothing is said of it before the exam is handed in and compared."""
    refuse_far_grade(call, new)
    sitting = _sitting(call.member)
    answer_exam(sitting=sitting, item_id=new.pair, grade=new.grade, key=new.key, played=new.played)
    return _exam(sitting, AT_HAND)


@endpoints.act("/exam/undo", **MINE)
def undo_an_exam_grade(call: Call, which: UndoAnswer) -> Items:
    """Take your last answer back, until the exam is handed in; its item comes first."""
    sitting = _sitting(call.member)
    answer = take_back_answer(sitting=sitting, key=which.key)
    return _exam(sitting, AT_HAND, answer.item.public_id)


@endpoints.act("/exam/hand-in", **MINE)
def hand_in_own_exam(call: Call) -> Steps:
    """Hand your exam in: its grades are final."""
    hand_in(sitting=_sitting(call.member))
    return _steps(call.member)


@endpoints.read("/exam/feedback", **MINE)
def get_own_exam_feedback(call: Call) -> list[OutItem]:
    """Your exam compared with the truth, items that are out first; empty before it is handed in and compared."""
    return [_compared(row, call.collection) for row in exam_feedback(_sitting(call.member))]


def _compared(row: ItemFeedback, collection: Collection) -> OutItem:
    return OutItem.of(_tasks([row.item], collection)[0], first=_feedback(row.first), now=_feedback(row.now))


@endpoints.act("/exam/grade-again", **MINE)
def grade_an_exam_item_again(call: Call, new: ItemGrade) -> Items:
    """Grade an item again that is out, and hear how it compares; the items still out come with it."""
    refuse_far_grade(call, new)
    sitting = _sitting(call.member)
    feedback = judge_again(sitting=sitting, item_id=new.pair, grade=new.grade, key=new.key, played=new.played)
    return _again(sitting, feedback)
