"""The exam as leads have it: drawn, opened, closed, its items, its applicants and the decisions about them."""

import secrets
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from annotation.models import ExamItem
from annotation.people.erasure import erase_member
from annotation.qualification.exam_results import exam_results
from annotation.qualification.exam_sampling import CANDIDATES, QUERIES, current_exam, draw_exam
from annotation.qualification.exams import close_cohort, decide_applicant, open_exam
from annotation.qualification.explanations import explain_exam_item
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, found_or_404
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of, page_of_list
from api.frame.problems import Problem
from api.v1.annotating.persons import annotator_of
from api.v1.annotating.training import Seed, Why

endpoints = Endpoints("Training")


class AgreementOut(BaseModel):
    """How far grades agree; null before there are two people's."""

    kappa: float | None
    weighted: float | None
    alpha: float | None


class ExamOut(Out):
    """The newest exam and what came of it."""

    exam: int | None = From("exam.number", description="Its number; null: none is drawn yet.")
    state: str = Field(description="none, drawn, open (to applicants), frozen (its truth is fixed).")
    seed: int | None = From("exam.seed")
    opened_at: datetime | None = From("exam.opened_at")
    frozen_at: datetime | None = From("exam.frozen_at")
    items: int
    handed_in: int = Field(description="How many people have.")
    may_close: bool
    out: float | None = Field(description="Share of first grades that are more than 1 from the truth.")
    agreement: AgreementOut = Field(description="Of first, independent grades.")
    relabelled: AgreementOut = Field(description="Of the same people's grades after feedback.")


class DrawnExam(ExamOut):
    """A new exam."""

    shortage: str = Field(description="Where the collection was too small for a whole one; else empty.")


class NewExam(BaseModel):
    """How large an exam is to be."""

    queries: int = Field(QUERIES, ge=1, le=200)
    candidates: int = Field(CANDIDATES, ge=1, le=100)
    seed: Seed = None


class Closing(BaseModel):
    """That the first cohort is to be closed, which can't be undone."""

    people: int = Field(ge=0, le=100_000, description="`handed_in` as you saw it: another number is refused.")


class ExamItemOut(Out):
    """An item of the exam. For leads alone: applicants see its query and clip."""

    item: int = From("pk")
    query: str
    moment: int = From("moment_id")
    rank: int
    clip: str | None = From("moment.clip_name")
    truth: float | None = Field(description="The cohort's median; null before it is closed.")
    why: str


class Reason(BaseModel):
    """What the feedback on an item says."""

    why: Why


class TraineeOut(Out):
    """Somebody in training, or who was decided about, or sat the newest exam."""

    member: int = From("member.pk")
    worker: str = From("member.worker")
    status: str = From("member.status")
    stage: str
    answered: int
    handed_in: bool
    cohort: bool
    out: float | None
    kappa: float | None
    bias: float | None
    differences: list[int] = Field(description="How many grades were -4 to 4 from the truth.")
    waiting: int = Field(description="Items still out.")


class Decision(BaseModel):
    """What is decided about an applicant; either can be reversed."""

    decision: Literal["admit", "decline"]


class PersonState(Out):
    """Somebody's standing."""

    member: int = From("pk")
    worker: str
    status: str


class Erasure(BaseModel):
    """That the person behind a worker id is to be erased: it can't be undone."""

    worker: Storable = Field(max_length=60, description="The worker id, once more.")


class Erased(BaseModel):
    """What became of the person's account."""

    account_gone: bool = Field(description="False: it belongs to other collections, too.")


def _items(call: Call) -> Any:
    exam = current_exam(call.collection)
    rows = ExamItem.objects.select_related("moment__clip")
    return rows.filter(exam=exam) if exam is not None else rows.none()


@endpoints.read("/exam")
def get_exam(call: Call) -> ExamOut:
    """The newest exam, how many have handed it in, and how far they agree."""
    return ExamOut.of(exam_results(call.collection))


@endpoints.make("/exam", scope=Scope.PREPARE)
def draw_an_exam(call: Call, new: NewExam) -> DrawnExam:
    """Draw an exam. It takes the place of one that nobody has begun."""
    seed = secrets.randbelow(2**31) if new.seed is None else new.seed
    drawn = draw_exam(collection=call.collection, **{**new.model_dump(), "seed": seed})
    return DrawnExam.of(exam_results(call.collection), shortage=drawn.shortage)


@endpoints.act("/exam/open", scope=Scope.PREPARE)
def open_the_exam(call: Call) -> ExamOut:
    """Open the exam to applicants who have finished the training."""
    open_exam(exam=found_or_404(current_exam(call.collection)))
    return ExamOut.of(exam_results(call.collection))


@endpoints.act("/exam/close", scope=Scope.PREPARE)
def close_the_exam(call: Call, new: Closing) -> ExamOut:
    """Close the first cohort: each item's truth becomes the median of its grades. It can't be undone."""
    close_cohort(exam=found_or_404(current_exam(call.collection)), expected=new.people)
    return ExamOut.of(exam_results(call.collection))


@endpoints.read("/exam/items")
def list_exam_items(call: Call, asked: AskedPage) -> Page[ExamItemOut]:
    """The newest exam's items."""
    return page_of(_items(call), asked, ExamItemOut.of)


@endpoints.change("/exam/items/{int:item_id}", scope=Scope.PREPARE)
def explain_an_exam_item(call: Call, item_id: Id, new: Reason) -> ExamItemOut:
    """Set the reason that the feedback on an item gives."""
    item = found_or_404(_items(call).filter(pk=item_id).first())
    explain_exam_item(item=item, why=new.why)
    return ExamItemOut.of(item)


@endpoints.read("/training/people")
def list_people_in_training(call: Call, asked: AskedPage) -> Page[TraineeOut]:
    """Everybody in training with their progress, agreement and differences."""
    return page_of_list(
        exam_results(call.collection).people,
        asked,
        lambda results: [TraineeOut.of(result) for result in results],
        lambda result: (result.member.pk,),
    )


@endpoints.act("/training/people/{int:member_id}/decide", scope=Scope.ADMIN)
def decide_about_a_person(call: Call, member_id: Id, new: Decision) -> PersonState:
    """Admit somebody to judging, or decline. The same decision again changes nothing."""
    person = annotator_of(call, member_id)
    decide_applicant(member=person, admit=new.decision == "admit")
    person.refresh_from_db()
    return PersonState.of(person)


@endpoints.act("/people/{int:member_id}/erase", scope=Scope.ADMIN)
def erase_a_person(call: Call, member_id: Id, sure: Erasure) -> Erased:
    """Erase the person behind a worker id. The judgments stay; this can't be undone."""
    person = annotator_of(call, member_id)
    if sure.worker != person.worker:
        raise Problem(422, f"Found {sure.worker!r:.80}, expected {person.worker}.", field="body.worker")
    return Erased(account_gone=erase_member(lead=call.member, member=person))
