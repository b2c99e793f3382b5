"""Jobs: all of a collection, one with its log, stop and resume."""

from datetime import datetime
from typing import Annotated, Any, Self

from django.db import transaction
from ninja import Path
from pydantic import BaseModel, Field

from api.frame.answers import Out
from api.frame.calls import Call, Scope, found_or_404
from api.frame.endpoints import Endpoints, Id
from api.frame.lists import AskedPage, Page, page_of_list
from foundation.infra.job_control import resume_job, stop_job
from foundation.infra.jobs import ask
from foundation.jobs.selectors import find_job, jobs_of, log_of, row_of, rows_of
from foundation.models import Job

endpoints = Endpoints("Jobs")
Kind = Annotated[str, Path(pattern="^[-a-zA-Z0-9_]{1,60}$", examples=["release"])]


class Progress(BaseModel):
    """How far a job is."""

    share: float = Field(ge=0, le=100, description="Percent.")
    words: str
    silent: bool = Field(description="No worker was heard of for a while: it can be resumed.")
    stopped: bool = Field(description="Somebody stopped it: it can be resumed.")
    finished: bool


class JobOut(Out):
    """A job: work for a worker."""

    kind: str
    job: int
    title: str
    name: str
    state: str = Field(description="queued, running, done, refused, stopped, or what its kind has besides.")
    words: str
    by: str | None = Field(description="A worker id; null: a command.")
    asked_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    progress: Progress

    @classmethod
    def of_job(cls, job: Job, /, **others: Any) -> Self:
        """`of`, where the fields that every job has are as lists of jobs have them."""
        row = row_of(job)
        return cls.of(job, **{name: getattr(row, name) for name in JobOut.model_fields}, **others)

    @classmethod
    def begun(cls, job: Job) -> Self:
        """`begin` a job, and answer with it."""
        begin(job)
        return cls.of_job(job)


class Line(BaseModel):
    """A line of a job's log."""

    at: datetime
    text: str


class JobWithLog(JobOut):
    """A job with the newest 500 lines of its log, the oldest first."""

    log: list[Line]


def begin(job: Job) -> None:
    """Send a job to a worker once it is committed; where the queue is away, it starts by itself later."""
    transaction.on_commit(lambda: ask(job))


def begun(job: Job) -> JobOut:
    """`begin` a job, and answer with it."""
    return JobOut.begun(job)


@endpoints.read("/jobs")
def list_jobs(call: Call, asked: AskedPage) -> Page[JobOut]:
    """A collection's jobs: those under way first, then the newest."""
    here = call.collection
    return page_of_list(
        list(jobs_of(here)), asked, lambda rows: [JobOut.of(row) for row in rows_of(here, rows)], lambda row: row[:2]
    )


@endpoints.read("/jobs/{slug:kind}/{int:job_id}")
def get_job(call: Call, kind: Kind, job_id: Id) -> JobWithLog:
    """A job with its log."""
    return _with_log(found_or_404(find_job(call.collection, kind, job_id)))


@endpoints.act("/jobs/{slug:kind}/{int:job_id}/stop", scope=Scope.PREPARE)
def stop_a_job(call: Call, kind: Kind, job_id: Id) -> JobWithLog:
    """Stop a job. One that has ended stays as it is."""
    job = found_or_404(find_job(call.collection, kind, job_id))
    stop_job(job, by=call.member)
    return _with_log(found_or_404(find_job(call.collection, kind, job_id)))


@endpoints.act("/jobs/{slug:kind}/{int:job_id}/resume", scope=Scope.PREPARE)
def resume_a_job(call: Call, kind: Kind, job_id: Id) -> JobWithLog:
    """Have a job go on that was stopped, or that no worker is at. One that has ended stays as it is."""
    job = found_or_404(find_job(call.collection, kind, job_id))
    if resume_job(job, by=call.member):
        begin(job)
    return _with_log(found_or_404(find_job(call.collection, kind, job_id)))


def _with_log(job: Job) -> JobWithLog:
    return JobWithLog.of_job(job, log=[Line(**line) for line in log_of(job)])
