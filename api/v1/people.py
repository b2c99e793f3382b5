"""People's figures and standing, time at work, studies."""

import datetime as dates
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

from django.shortcuts import get_object_or_404
from ninja import Query
from pydantic import BaseModel, Field

from annotation.models import Study
from annotation.people.people_figures import NAME, alerts_by_person
from annotation.people.status import STEPS, change_standing
from annotation.people.timesheet import correct_time, work_days
from annotation.precomputed import computed_or_ask
from annotation.studies.selectors import StudyRow, studies_of
from annotation.studies.services import ask_for_study, put_study_away
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, Who
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of_list
from api.frame.problems import Problem
from api.v1.jobs import JobOut
from foundation.models import Membership

endpoints = Endpoints("People")
USUAL_DAYS = 28
LONGEST_SPAN = timedelta(days=3660)


class Alert(BaseModel):
    """Something about a person that is worth a look."""

    kind: str
    name: str
    reason: str


class PersonOut(BaseModel):
    """An annotator with figures, as the page People tells them."""

    member: int
    worker: str
    status: str
    figures: dict[str, Any] | None = Field(description="overall, recent (four weeks) and weeks; null: not counted yet.")
    alerts: list[Alert]
    gold: dict[str, Any] | None = Field(
        None,
        exclude_if=lambda gold: gold is None,
        description="Figures of what they answered to gold: overall, recent, drift and weeks; absent: nothing.",
    )


class NewStanding(BaseModel):
    """What an annotator's standing is to become."""

    step: Storable = Field(max_length=20, description=", ".join(STEPS))
    reason: Storable = Field(min_length=1, max_length=2000)


class DayOut(Out):
    """A person's day (UTC) at work."""

    worker: str
    member: int
    day: dates.date
    judgments: int
    counted: int = Field(description="Those of the judgments that decide something.")
    active_seconds: float = From("active")
    corrected_seconds: int = From("corrected")
    training_seconds: float = From("training")
    hours: Decimal = Field(description="Paid.")
    rate: Decimal | None
    currency: str
    pay: Decimal | None = Field(description="Null: there is no rate.")


class Span(BaseModel):
    """From which day to which; by default the last four weeks."""

    first: dates.date | None = None
    last: dates.date | None = None

    def days(self) -> tuple[dates.date, dates.date]:
        """Raises: Problem for a span that ends before it begins, or takes more than ten years."""
        last = self.last or datetime.now(dates.UTC).date()
        first = self.first or (last - timedelta(days=USUAL_DAYS) if last.year > 1 else last)
        if first > last or last - first > LONGEST_SPAN or first.year < 1970 or last.year > 9998:
            fault = f"Found {first} to {last}, expected at most ten years since 1970, the first day first."
            raise Problem(422, fault, field="query.first")
        return first, last


class NewCorrection(BaseModel):
    """Minutes to add to a person's day, or to take from it."""

    member: int = Field(ge=1, le=2**63 - 1)
    day: dates.date
    minutes: int = Field(ge=-1440, le=1440)
    reason: Storable = Field(min_length=1, max_length=2000)


class CorrectionOut(Out):
    """A correction of a person's day."""

    correction: int = From("pk")
    member: int = From("annotator_id")
    day: dates.date
    minutes: int
    reason: str
    made_at: datetime


class NewStudy(BaseModel):
    """A pilot or a depth study to be."""

    kind: Literal["pilot", "depth"]
    queries: int | None = Field(None, ge=1, le=200, description="Null: 5 of a pilot, 10 of a depth study.")
    seed: int | None = Field(None, gt=-(10**18), lt=10**18, description="Null: the study's number.")


def _person(member: Membership, figures: Any, alerts: list[Any]) -> PersonOut:
    return PersonOut(
        member=member.pk,
        worker=member.worker,
        status=member.status,
        figures={name: figures[name] for name in ("overall", "recent", "weeks")} if figures else None,
        alerts=[Alert(kind=alert.kind, name=str(alert.name), reason=str(alert.reason)) for alert in alerts],
        gold=figures and figures.get("gold"),
    )


@endpoints.read("/people")
def list_people(call: Call, asked: AskedPage) -> Page[PersonOut]:
    """Annotators with their figures, which a worker counts; the first time they are null."""
    here = call.collection
    result = computed_or_ask(collection=here, name=NAME)
    known = {person["member"]: person for person in result.value["people"]} if result.value else {}
    alerts = alerts_by_person(here, result.value)
    rows = here.memberships.filter(role=Membership.Role.ANNOTATOR).order_by("worker")
    return page_of_list(
        list(rows),
        asked,
        lambda members: [_person(member, known.get(member.pk), alerts.get(member.pk, [])) for member in members],
        lambda member: (member.pk,),
    )


@endpoints.act("/people/{int:member_id}/standing", scope=Scope.ADMIN)
def change_person_standing(call: Call, member_id: Id, new: NewStanding) -> PersonOut:
    """Pause an annotator, bar them, admit them again or send them to the exam again, with the reason."""
    rows = call.collection.memberships.filter(role=Membership.Role.ANNOTATOR)
    get_object_or_404(rows, pk=member_id)
    change_standing(lead=call.member, member_id=member_id, step=new.step, reason=new.reason)
    return _person(rows.get(pk=member_id), None, [])


@endpoints.read("/time")
def list_time(call: Call, span: Query[Span]) -> list[DayOut]:
    """Every day on which somebody worked, the newest first."""
    first, last = span.days()
    return [DayOut.of(day) for day in work_days(call.collection, first=first, last=last)]


@endpoints.read("/time/own", who=Who.MEMBER)
def list_own_time(call: Call, span: Query[Span]) -> list[DayOut]:
    """Your own days at work, the newest first."""
    first, last = span.days()
    return [DayOut.of(day) for day in work_days(call.collection, first=first, last=last, member=call.member)]


@endpoints.make("/time/corrections", scope=Scope.ADMIN)
def correct_a_day(call: Call, new: NewCorrection) -> CorrectionOut:
    """Add minutes to a person's day, or take them from it, with the reason."""
    correction = correct_time(
        lead=call.member, member_id=new.member, day=new.day, minutes=new.minutes, reason=new.reason
    )
    return CorrectionOut.of(correction, minutes=correction.seconds // 60)


@endpoints.read("/studies")
def list_studies(call: Call) -> list[StudyRow]:
    """A collection's studies, the newest first."""
    return studies_of(call.collection)


@endpoints.make("/studies", scope=Scope.PREPARE, status=202)
def make_a_study(call: Call, new: NewStudy) -> JobOut:
    """Have a worker make a study. While one of its kind is made or judged, that is the answer."""
    study = ask_for_study(collection=call.collection, asked_by=call.member, **new.model_dump())
    return JobOut.begun(study) if study.state == Study.State.QUEUED else JobOut.of_job(study)


@endpoints.act("/studies/{int:study_id}/put-away", scope=Scope.PREPARE)
def put_a_study_away(call: Call, study_id: Id) -> list[StudyRow]:
    """Archive a study: its judgments are kept and can be read."""
    get_object_or_404(Study, collection=call.collection, pk=study_id)
    put_study_away(lead=call.member, study_id=study_id)
    return studies_of(call.collection)
