"""Recruitments: people whom platforms such as Prolific send, and their sessions."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from annotation.models import Recruitment
from annotation.people.terms import read_languages
from annotation.recruiting.platforms import Names
from annotation.recruiting.recruitments import (
    Terms,
    change_recruitment,
    entry_of,
    make_recruitment,
    recruitments_of,
)
from annotation.recruiting.sessions import session_rows, sessions_of
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints, Id, Storable, Text
from api.frame.lists import AskedPage, Page, page_of, page_of_all
from foundation.infra.times import SentTime

endpoints = Endpoints("Recruiting")
HERE = "/recruitments"
ONE = f"{HERE}/{{int:recruitment_id}}"
Platform = Literal["prolific", "mturk", "toloka", "sona", "other"]
Until = Literal["judgments", "minutes", "screening"]
PaidBy = Literal["session", "judgment", "hour"]
Id100 = Annotated[Text, Field(max_length=100)]
Parameter = Annotated[Text, Field(max_length=40)]
Money = Annotated[Decimal, Field(ge=0, max_digits=8, decimal_places=2)]
Rate = Annotated[Decimal, Field(ge=0, max_digits=9, decimal_places=4)]
Number = Annotated[int | None, Field(ge=1, le=1_000_000, description="Null: any number.")]


class RecruitmentOut(Out):
    """A way by which a platform sends people."""

    recruitment: int = From("pk")
    name: str
    platform: Platform
    entry: str = Field(description="The address to paste into the platform.")
    person_parameter: str
    session_parameter: str
    study_parameter: str
    signed: bool
    until: Until = Field(description="What completes a session.")
    amount: int | None = Field(description="Judgments or minutes; null: the exam.")
    most_out: int | None = Field(description="Percent of exam grades; null: the lead decides.")
    code: str
    screened_code: str
    return_address: str
    people: int | None
    most_sessions: int
    most_judgments: int | None
    languages: list[str]
    opens_at: datetime | None
    expires_at: datetime | None
    closed_at: datetime | None
    paid_by: PaidBy
    rate: Decimal
    reward: Decimal
    currency: str
    came: int = Field(description="People.")
    live: int = Field(description="Sessions that go on.")
    complete: int
    screened: int


class NewRecruitment(BaseModel):
    """A recruitment to be; what isn't said follows from the platform, or isn't limited."""

    name: Storable = Field(min_length=1, max_length=100)
    platform: Platform
    until: Until
    amount: int | None = Field(None, ge=1, le=100_000)
    person_parameter: Parameter = ""
    session_parameter: Parameter = ""
    study_parameter: Parameter = ""
    signed: bool = False
    known: list[Id100] | None = Field(None, min_length=1, max_length=20_000, description="Only these ids; null: all.")
    most_out: int | None = Field(None, ge=0, le=100)
    code: Id100 = ""
    screened_code: Id100 = ""
    return_address: Storable | None = Field(None, max_length=500)
    people: Number = None
    most_sessions: int = Field(1, ge=1, le=1000)
    most_judgments: Number = None
    languages: list[Parameter] = Field([], max_length=20)
    opens_at: SentTime | None = None
    expires_at: SentTime | None = None
    paid_by: PaidBy = "session"
    rate: Rate = Decimal(0)
    reward: Money = Decimal(0)
    currency: Storable = Field("", max_length=8)


class RecruitSessionOut(Out):
    """A session of a platform's person, as the file for approving tells it."""

    session_number: int
    worker: str
    person: str = Field(description="The platform's id; empty: it is erased.")
    session: str
    study: str
    entered_at: datetime
    ended_at: datetime | None
    outcome: str = Field(description="complete, short, screened, left; empty: it goes on.")
    minutes: float | None = Field(description="From entering to the end, as the platform counts.")
    paid_minutes: float = Field(description="At work.")
    judgments: int
    exam_out: float | None = Field(description="The part of the exam's first grades that was out, 0-1.")
    gold: int = Field(description="Judgments that were gold.")
    gold_within: int = Field(description="Of them, those within the rule's tolerance of the known grade.")
    alerts: list[str]
    code: str
    suggestion: str = Field(description="approve, look, reject, screened out; empty: nothing yet.")
    due: Decimal | None
    reward: Decimal | None
    bonus: Decimal | None
    currency: str


def _recruitment(call: Call, found: Recruitment) -> RecruitmentOut:
    entry = call.request.build_absolute_uri("/").rstrip("/") + entry_of(found)
    return RecruitmentOut.of(found, entry=entry)


@endpoints.read(HERE)
def list_recruitments(call: Call, asked: AskedPage) -> Page[RecruitmentOut]:
    """A collection's recruitments, the newest first."""
    here = recruitments_of(call.collection)
    return page_of(here, asked, lambda found: _recruitment(call, found), newest_first=True)


@endpoints.make(HERE, scope=Scope.ADMIN)
def create_recruitment(call: Call, new: NewRecruitment) -> RecruitmentOut:
    """Make an address by which a platform sends people."""
    said: dict[str, Any] = dict(new)
    parts = [said.pop(f"{part}_parameter") for part in ("person", "session", "study")]
    said |= {
        "names": Names(*parts) if any(parts) else None,
        "known": None if new.known is None else "\n".join(new.known),
        "languages": tuple(read_languages(", ".join(new.languages))),
    }
    made = make_recruitment(lead=call.member, terms=Terms(**said))
    return _recruitment(call, recruitments_of(call.collection).get(pk=made.pk))


@endpoints.read(ONE)
def get_recruitment(call: Call, recruitment_id: Id) -> RecruitmentOut:
    """One recruitment."""
    return _recruitment(call, get_object_or_404(recruitments_of(call.collection), pk=recruitment_id))


@endpoints.remove(ONE, scope=Scope.ADMIN)
def close_a_recruitment(call: Call, recruitment_id: Id) -> None:
    """Close a recruitment to new people and sessions. Who is in one can complete it."""
    get_object_or_404(call.collection.recruitments, pk=recruitment_id)
    change_recruitment(lead=call.member, recruitment_id=recruitment_id, closed=True)


@endpoints.read(f"{ONE}/sessions")
def list_recruit_sessions(call: Call, recruitment_id: Id, asked: AskedPage) -> Page[RecruitSessionOut]:
    """A recruitment's sessions, the newest first: time, work, alerts, what is due, whether to approve it."""
    collection = call.collection
    found = get_object_or_404(collection.recruitments.defer("known"), pk=recruitment_id)

    def answers(sessions: list[Any]) -> list[RecruitSessionOut]:
        told = zip(sessions, session_rows(collection, sessions), strict=True)
        return [
            RecruitSessionOut.of(
                row,
                session_number=session.pk,
                entered_at=session.entered_at,
                ended_at=session.ended_at,
                alerts=list(row.alerts),
            )
            for session, row in told
        ]

    return page_of_all(sessions_of(found), asked, answers, newest_first=True)
