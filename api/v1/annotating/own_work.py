"""An annotator's own work, as the judging page tells it: progress, agreement, notices, questions to the lead."""

import uuid
from datetime import UTC, datetime
from decimal import Decimal

from ninja import Query
from pydantic import BaseModel, Field

from annotation.assignment.next_tasks import next_tasks
from annotation.judging.flags import read_flag_answer
from annotation.judging.notices import ask_question, read_answer, read_notice
from annotation.judging.progress import own_progress
from annotation.people.session_card import session_since
from api.frame.calls import Call, Scope, Who
from api.frame.endpoints import Endpoints, Storable
from api.v1.judging import Tasks, told
from foundation.infra.times import SentTime
from foundation.models import Membership

endpoints = Endpoints("Judging")
HERE = "/judging"


class OwnAgreement(BaseModel):
    """How often your grades equal your partners', over decided pairs."""

    pairs: int
    exact: float
    within_one: float


class OwnNotice(BaseModel):
    """What the lead says to you: a notice, or an answer to your flag or question."""

    id: str = Field(examples=["notice-4"])
    text: str


class OwnProgress(BaseModel):
    """Your own figures."""

    today: int = Field(description="Judgments since midnight (UTC).")
    week: int
    active_today: int = Field(description="Seconds of work.")
    per_hour: int | None = Field(description="Null before there is a pace.")
    agreement: OwnAgreement | None = Field(description="Null: none yet, or the lead doesn't show it.")
    notices: list[OwnNotice] = Field(description="Not put away yet.")


class Since(BaseModel):
    """From when on work is counted."""

    since: SentTime | None = Field(None, description="Null: midnight (UTC).")


class SessionOut(BaseModel):
    """Your own work since a time."""

    judged: int
    seconds: float
    per_hour: int | None
    pay: Decimal | None = Field(description="Null: there is no rate.")
    currency: str


class NewQuestion(BaseModel):
    """What you want to know of the lead about a pair of one of your places."""

    pair: str = Field(pattern="^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
    text: Storable = Field(min_length=1, max_length=2000)


class PutAway(BaseModel):
    """A notice or an answer that was read."""

    id: str = Field(pattern="^(notice|question|flag)-[0-9]{1,18}$", examples=["notice-4"])


READ = {
    "notice": lambda member, number: read_notice(member=member, notice_id=number),
    "question": lambda member, number: read_answer(member=member, question_id=number),
    "flag": lambda member, number: read_flag_answer(member=member, flag_id=number),
}


def _progress(member: Membership) -> OwnProgress:
    figures = own_progress(member)
    notices = [
        {**notice, "id": f"flag-{notice['id']}" if isinstance(notice["id"], int) else notice["id"]}
        for notice in figures["notices"]
    ]
    return OwnProgress.model_validate({**figures, "notices": notices})


@endpoints.read(f"{HERE}/progress", scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True)
def get_own_progress(call: Call) -> OwnProgress:
    """How much you have judged, how fast, how often like your partners, and what the lead says to you."""
    return _progress(call.member)


@endpoints.read(f"{HERE}/session", scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True)
def get_own_session(call: Call, asked: Query[Since]) -> SessionOut:
    """What you did since a time: judgments, seconds of work, pay."""
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    session = session_since(call.member, asked.since or midnight)
    return SessionOut.model_validate(session, from_attributes=True)


@endpoints.act(f"{HERE}/ask", scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True)
def ask_about_a_pair(call: Call, new: NewQuestion) -> Tasks:
    """Ask the lead about a pair, which you may judge meanwhile. A second question takes the place of an open one."""
    ask_question(member=call.member, pair_id=uuid.UUID(new.pair), text=new.text)
    return told(call.member, next_tasks(member=call.member), first=new.pair)


@endpoints.act(f"{HERE}/notices/put-away", scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True)
def put_a_notice_away(call: Call, read: PutAway) -> OwnProgress:
    """Mark a notice or an answer as read. Repeating it changes nothing."""
    kind, _, number = read.id.partition("-")
    READ[kind](call.member, int(number))
    return _progress(call.member)
