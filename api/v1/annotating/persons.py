"""One annotator as leads see them: figures, alerts and decisions about them, partners, languages and rate."""

import datetime as dates
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from annotation.assignment.priorities import annotators
from annotation.people.people_figures import NAME, alerts_by_person, names_of
from annotation.people.status import dismiss_alert, steps_for
from annotation.people.terms import read_languages, set_terms
from annotation.precomputed import computed_or_ask
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.problems import Problem
from foundation.models import Membership

endpoints = Endpoints("People")
HERE = "/people"


class StandingAlert(BaseModel):
    """Something about a person that is worth a look."""

    kind: str
    name: str
    reason: str


class StatusChangeOut(Out):
    """A change of a person's standing."""

    before: str
    after: str
    reason: str
    by: str = From("changed_by.worker")
    at: datetime = From("changed_at")


class DismissalOut(Out):
    """An alert that a lead has dismissed for four weeks."""

    kind: str
    told: str = Field(description="The reason that the alert gave.")
    note: str
    by: str = From("dismissed_by.worker")
    at: datetime = From("dismissed_at")


class PersonWithHistory(Out):
    """An annotator, with what leads decided about them."""

    member: int = From("pk")
    worker: str
    status: str
    steps: list[str] = Field(description="Changes of the standing that are possible now.")
    languages: list[str] = Field(description="Empty: all.")
    pay_per_hour: Decimal | None = Field(description="Null: the collection's.")
    figures: dict[str, Any] | None = Field(description="overall, recent (four weeks) and weeks; null: not counted yet.")
    alerts: list[StandingAlert]
    changes: list[StatusChangeOut] = Field(description="The newest first.")
    dismissals: list[DismissalOut] = Field(description="The newest 50, the newest first.")


class NewDismissal(BaseModel):
    """That an alert was looked at."""

    kind: Storable = Field(max_length=20, description="Of an alert that stands.")
    note: Storable = Field(min_length=1, max_length=2000, description="What was found.")


class Terms(BaseModel):
    """What somebody reads, and what an hour of theirs is paid."""

    languages: list[Annotated[str, Field(pattern="^[A-Za-z0-9-]{1,35}$")]] = Field(
        max_length=20, description="Empty: all.", examples=[["en", "de-AT"]]
    )
    pay_per_hour: Decimal | None = Field(
        None, ge=0, le=Decimal("999999.99"), decimal_places=2, description="Null: the collection's."
    )
    since: dates.date | None = Field(None, description="The first day (UTC) of a new rate; null: today.")


class PartnersOut(BaseModel):
    """How far two people who judged the same pairs agree."""

    one: str
    other: str
    met: int = Field(description="Pairs that both judged in the same round.")
    difference: float
    exact: float
    within_one: float
    kappa: float | None
    weighted: float | None


class Partners(Out):
    """Every two people who met."""

    as_of: datetime | None = Field(description="Null: not counted yet.")
    running: bool
    partners: list[PartnersOut]


def annotator_of(call: Call, member_id: int) -> Membership:
    """An annotator of the collection. Raises: Http404."""
    return get_object_or_404(annotators(call.collection).select_related("collection"), pk=member_id)


def _standing(call: Call, person: Membership) -> tuple[Any, list[StandingAlert]]:
    """The person's figures, None before they are counted, and the alerts that stand."""
    here = call.collection
    result = computed_or_ask(collection=here, name=NAME)
    people = result.value["people"] if result.value else []
    figures = next((row for row in people if row["member"] == person.pk), None)
    alerts = alerts_by_person(here, result.value).get(person.pk, [])
    return figures, [StandingAlert(kind=alert.kind, name=str(alert.name), reason=str(alert.reason)) for alert in alerts]


def _told(call: Call, person: Membership) -> PersonWithHistory:
    figures, alerts = _standing(call, person)
    changes = person.status_changes.select_related("changed_by").order_by("-pk")
    dismissals = person.alert_dismissals.select_related("dismissed_by").order_by("-pk")[:50]
    return PersonWithHistory.of(
        person,
        steps=[name for name, _ in steps_for(person)],
        figures={name: figures[name] for name in ("overall", "recent", "weeks")} if figures else None,
        alerts=alerts,
        changes=[StatusChangeOut.of(row) for row in changes],
        dismissals=[DismissalOut.of(row) for row in dismissals],
    )


@endpoints.read(f"{HERE}/{{int:member_id}}", of_studies=True)
def get_person(call: Call, member_id: Id) -> PersonWithHistory:
    """One annotator: figures, alerts, and every decision about them."""
    return _told(call, annotator_of(call, member_id))


@endpoints.act(f"{HERE}/{{int:member_id}}/alerts/dismiss", scope=Scope.ADMIN)
def dismiss_an_alert(call: Call, member_id: Id, new: NewDismissal) -> PersonWithHistory:
    """Dismiss an alert that stands for four weeks, with a note on what was found."""
    person = annotator_of(call, member_id)
    _, alerts = _standing(call, person)
    alert = next((alert for alert in alerts if alert.kind == new.kind), None)
    if alert is None:
        standing = ", ".join(alert.kind for alert in alerts) or "none"
        raise Problem(409, f"Found the alert {new.kind!r:.40}; standing are: {standing}.")
    dismiss_alert(lead=call.member, member_id=member_id, kind=alert.kind, told=alert.reason, note=new.note)
    return _told(call, person)


@endpoints.act(f"{HERE}/{{int:member_id}}/terms", scope=Scope.ADMIN)
def set_a_person_s_terms(call: Call, member_id: Id, new: Terms) -> PersonWithHistory:
    """Set somebody's languages and rate. A rate is paid for work from a day on; earlier days keep theirs."""
    annotator_of(call, member_id)
    other, _ = set_terms(
        lead=call.member,
        member_id=member_id,
        languages=read_languages(", ".join(new.languages)),
        rate=new.pay_per_hour,
        since=new.since or datetime.now(dates.UTC).date(),
    )
    return _told(call, other)


@endpoints.read(f"{HERE}/partners", of_studies=True)
def list_partners(call: Call) -> Partners:
    """How far every two people agree who judged the same pairs."""
    result = computed_or_ask(collection=call.collection, name=NAME)
    names = names_of(call.collection)
    met = result.value["partners"] if result.value else []
    partners = [{**pair, "one": names.get(pair["one"], "?"), "other": names.get(pair["other"], "?")} for pair in met]
    return Partners.of(result, partners=partners)
