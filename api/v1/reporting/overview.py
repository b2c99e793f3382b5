"""The overview of a collection, and "Run to open": one job that does what remains until judging is open."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints
from api.frame.problems import Problem
from api.v1.jobs import JobOut
from desk.models import RunToOpen
from desk.running.checked_numbers import faults_of
from desk.running.form import MOST
from desk.running.run import ask_to_run
from desk.selectors import overview

endpoints = Endpoints("Overview")
Number = Annotated[int | None, Field(ge=0, le=MOST, description="Null: as the draw suggests.")]


class StepOut(BaseModel):
    """A step of the work as it stands."""

    key: str
    stage: str
    name: str
    state: str = Field(description="not-begun, ready, working, needs-you, done or out-of-date.")
    done: int
    total: int
    waiting: str = Field(description="What it waits for or lacks.")
    action: str = Field(description="The next thing to do; empty: nothing.")


class NeedOut(BaseModel):
    """Something that waits for the lead."""

    kind: str
    count: int
    words: str


class AtWorkOut(BaseModel):
    """Somebody who judges just now."""

    worker: str
    seats: int
    since: datetime


class DayOfJudging(BaseModel):
    """Judgments of a day (UTC) that decide something."""

    day: date
    judgments: int
    people: int


class ForecastOut(BaseModel):
    """When judging will end at the present pace, and what it will have cost."""

    left: int = Field(description="Judgments.")
    a_day: float
    days: int | None
    ends: date | None
    cost: Decimal | None
    total: Decimal | None


class OverviewOut(Out):
    """How far a collection is. What is null is being counted for the first time."""

    as_of: datetime | None
    steps: list[StepOut]
    needs: list[NeedOut]
    batches: dict[str, int] = Field(description="By state, of this moment.")
    pairs: dict[str, int] | None = From("backlog.pairs")
    judgments: int | None = From("backlog.judgments")
    waiting_for_clip: int | None = From("backlog.waiting_for_clip", description="Open pairs.")
    second_round_share: float | None = From("backlog.work.second_share")
    extended_share: float | None = From("backlog.work.extended_share")
    judged_today: int | None = From("pace.today")
    days: list[DayOfJudging] | None = From("pace.days")
    hours: Decimal | None = From("pace.hours")
    paid: Decimal | None = From("pace.paid")
    currency: str | None = From("pace.currency")
    forecast: ForecastOut | None = From("pace.forecast")
    at_work: list[AtWorkOut]
    run: JobOut | None = Field(description="The newest run to open, unless it is done.")
    problem: str = Field(description="Why the last count failed; empty: it didn't.")


class WhatToRun(BaseModel):
    """By what captions are rewritten, and how many queries are drawn."""

    rewriter: str = Field("rules", pattern="^(rules|llm|as-they-are)$")
    val: Number = None
    test: Number = None
    seed: int = Field(1, ge=0, le=2**62)


@endpoints.read("/overview", of_studies=True)
def get_overview(call: Call) -> OverviewOut:
    """How far each step is, what waits for the lead, pace and forecast, who is at work."""
    state = overview(call.collection)
    return OverviewOut.of(state, run=JobOut.of_job(state.run) if state.run else None)


@endpoints.make("/run-to-open", scope=Scope.PREPARE, status=202)
def run_to_open(call: Call, new: WhatToRun) -> JobOut:
    """Have a worker do what remains until judging is open. While it runs, that job is the answer.

    It stops where a person is needed: the job's words say for what. It is stopped and resumed as every job.
    """
    for field, fault in faults_of(call.collection, new.rewriter, new.val, new.test).items():
        raise Problem(422, fault, field=f"body.{field}")
    job = ask_to_run(member=call.member, rewriter=new.rewriter, val=new.val, test=new.test, seed=new.seed)
    return JobOut.begun(job) if job.state == RunToOpen.State.QUEUED else JobOut.of_job(job)
