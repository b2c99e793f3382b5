"""Plans of queries and cost, and what came of the chosen one."""

from datetime import datetime
from typing import Annotated, Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from api.frame.answers import From
from api.frame.calls import Call, Scope
from api.frame.endpoints import STORABLE, Endpoints, Id
from api.frame.lists import AskedPage, Page, page_of
from api.v1.jobs import JobOut
from datasets.leaderboard.plan_came import promised_and_came
from datasets.models import Plan
from datasets.planning.services import MOST_KAPPAS, Asked, ask_for_plan, choose_row, forget_plan
from datasets.planning.sources import led_with, sources_of

endpoints = Endpoints("Plans")
HERE = "/plans"
ONE = f"{HERE}/{{int:plan_id}}"
USUAL = Asked(smallest=0.0)
"""What is asked where nothing else is said."""
Number = Annotated[float, Field(allow_inf_nan=False)]


class NewPlan(BaseModel):
    """What a plan is asked for. What is null is taken as known here, else in the source, else published."""

    smallest: Number = Field(description="The difference of two scores that is worth finding.")
    source: str = Field(USUAL.source, pattern=STORABLE, max_length=60, description="A key of the list of sources.")
    measure: str = Field(USUAL.measure, pattern=STORABLE, max_length=60)
    power: Number = Field(USUAL.power, description="With which probability it is found.")
    level: Number = Field(USUAL.level, description="Of intervals that hold for all pairs of systems at once.")
    kappas: list[Number] = Field(list(USUAL.kappas), max_length=MOST_KAPPAS, description="Of machines.")
    queries: int | None = Field(None, description="Of the collection, if scores of these alone are meant.")
    depth: int | None = Field(None, description="So many of each system's first are judged.")
    judgments: Number | None = Field(None, description="Of a pair.")
    seconds: Number | None = Field(None, description="Of a judgment.")
    pay: Number | None = Field(None, description="Of an hour.")
    systems: int = Field(USUAL.systems, description="To be compared, where nothing is known.")


class PlanOut(JobOut):
    """A plan: how far it is, and what it found."""

    plan: int = From("pk")
    asked: dict[str, Any]
    chosen: int | None = Field(description="The place in `rows` by which the collection goes, from 0.")
    chosen_at: datetime | None
    result: dict[str, Any] | None = Field(
        description="pilot (its queries; 0: assumed), systems, seconds, pay, basis, rows: measure, half_width, "
        "share (of the orders), kappa, pairs, judgments, queries, fewest, most, hours, cost. Null: none yet."
    )


class Choice(BaseModel):
    """By which way of a plan the collection goes."""

    row: int | None = Field(ge=0, le=10_000, description="The place in `rows`, from 0; null: by none.")


class SourceOut(BaseModel):
    """What a plan can be made from."""

    key: str
    words: str


class Came(BaseModel):
    """What a leaderboard has beside what the plan promised."""

    release: int
    split: str
    problem: str
    came: dict[str, Any] | None = Field(
        description="queries, systems, orders, settled, half_width, widest, hours, pay. Null: it is being computed."
    )


class PromisedOut(BaseModel):
    """What the chosen plan promised, and what came."""

    plan: int | None = Field(description="Null: none is chosen.")
    promised: dict[str, Any] | None = Field(description="The chosen row.")
    boards: list[Came]


def _plans(call: Call) -> QuerySet[Plan]:
    return Plan.objects.filter(collection=call.collection).select_related("collection", "member")


def _one(call: Call, plan_id: int) -> Plan:
    return get_object_or_404(_plans(call), pk=plan_id)


def _here_alone(call: Call) -> bool:
    """Whether the token is good for one collection: then others are no sources."""
    return call.token is not None and call.token.collection_id is not None


@endpoints.make(HERE, scope=Scope.PREPARE, status=202)
def make_a_plan(call: Call, new: NewPlan) -> PlanOut:
    """Have a worker plan: queries, hours and cost for a difference worth finding, with a machine or without."""
    asked = Asked(**{**new.model_dump(), "kappas": tuple(new.kappas)})
    job = ask_for_plan(member=call.member, asked=asked, sources=led_with(call.member, here_alone=_here_alone(call)))
    return PlanOut.begun(job)


@endpoints.read(HERE)
def list_plans(call: Call, asked: AskedPage) -> Page[PlanOut]:
    """Plans, the newest first."""
    return page_of(_plans(call), asked, PlanOut.of_job, newest_first=True)


@endpoints.read(ONE)
def get_plan(call: Call, plan_id: Id) -> PlanOut:
    """A plan: how far it is, or its ways."""
    return PlanOut.of_job(_one(call, plan_id))


@endpoints.act(f"{ONE}/choose", scope=Scope.PREPARE)
def choose_plan(call: Call, plan_id: Id, new: Choice) -> PlanOut:
    """Have the collection go by a way of a plan, and by no other; null: by none. 409 for a row that it hasn't."""
    choose_row(plan=_one(call, plan_id), row=new.row)
    return PlanOut.of_job(_one(call, plan_id))


@endpoints.remove(ONE, scope=Scope.PREPARE)
def delete_plan(call: Call, plan_id: Id) -> None:
    """Remove a plan. 409 while it is being made."""
    forget_plan(_one(call, plan_id))


@endpoints.read("/plan-sources")
def list_plan_sources(call: Call) -> list[SourceOut]:
    """What a plan can be made from: releases with two systems or more, studies, or nothing yet."""
    found = sources_of(led_with(call.member, here_alone=_here_alone(call)))
    return [SourceOut(key=source.key, words=str(source.words)) for source in found]


@endpoints.read("/plan-came")
def get_what_came_of_plan(call: Call) -> PromisedOut:
    """What the chosen plan promised, and what each leaderboard has: by people's judgments alone."""
    collection = call.collection
    told = promised_and_came(collection, collection.releases.order_by("-pk"))
    if told is None:
        return PromisedOut(plan=None, promised=None, boards=[])
    boards = [Came(**{**board, "release": board["release"].pk}) for board in told["boards"]]
    return PromisedOut(plan=told["plan"].pk, promised=told["promised"], boards=boards)
