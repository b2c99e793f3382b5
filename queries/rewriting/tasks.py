"""Celery tasks of rewriting."""

import time
from typing import TypedDict

from celery import shared_task

from foundation.infra.jobs import JobProgress, run_job
from foundation.models import Collection
from queries.models import RewriteJob
from queries.rewriting.attempts import check_answers
from queries.rewriting.jobs import ASK_NOBODY
from queries.rewriting.llm_settings import environ_of
from queries.rewriting.make_captions import rewrite_by_rules, rewrite_descriptions
from queries.rewriting.rewriters.as_they_are import NAME as AS_THEY_ARE
from queries.rewriting.rewriters.llm import patience_from
from queries.rewriting.run_job import run_job as run_rewriting
from queries.rewriting.work_left import pending_block

SLICE_SECONDS = 600
"""A job goes on in a new task after so long: well below Celery's time limit and the broker's patience."""


class DescriptionBlock(TypedDict):
    """Descriptions (ids) of a collection (id) that are captioned at a time."""

    collection: int
    descriptions: list[int]
    as_they_are: bool


class AnswerBlock(TypedDict):
    """Descriptions (ids) whose answers by a job (id) are checked at a time."""

    job: int
    descriptions: list[int]


@shared_task(name="queries.tasks.rewrite_block")
def rewrite_block(block: DescriptionBlock) -> int:
    """Caption a block's descriptions. Returns how many were captioned."""
    collection, ids = Collection.objects.get(pk=block["collection"]), block["descriptions"]
    if block["as_they_are"]:
        return rewrite_by_rules(collection=collection, description_ids=ids, as_they_are=True)
    return rewrite_descriptions(collection=collection, description_ids=ids)


@shared_task(name="queries.tasks.check_block")
def check_block(block: AnswerBlock) -> int:
    """Check a block's answers. Returns how many captions that made."""
    job = RewriteJob.objects.select_related("collection").get(pk=block["job"])
    return check_answers(job=job, description_ids=block["descriptions"])


@shared_task(name="queries.tasks.go_on_rewriting")
def go_on_rewriting(job_id: int) -> str:
    """Run a job for a limited time (`run_job`); the next such task resumes it. Returns the job's state."""
    run_job(RewriteJob, job_id, _go_on)
    return str(RewriteJob.objects.get(pk=job_id).state)


def _go_on(job: RewriteJob, progress: JobProgress) -> float | None:
    job.total = job.collection.descriptions.count()
    progress.done = job.collection.descriptions.filter(caption__isnull=False).count()
    progress.note(done=progress.done, total=job.total)
    if job.rewriter in ASK_NOBODY:
        return _go_on_here(job, progress)
    # A batch takes hours: it is looked after and left, so that the worker is free meanwhile.
    until = time.monotonic() + (0 if job.batch_api else SLICE_SECONDS)
    if run_rewriting(job=job, progress=progress.count, until=until):
        return None
    return patience_from(environ_of(job.collection)).poll if job.batch_api else 0


def _go_on_here(job: RewriteJob, progress: JobProgress) -> float | None:
    """Rewrite block by block, each kept for itself; descriptions that come meanwhile are rewritten too."""
    until = time.monotonic() + SLICE_SECONDS
    last = 0
    while block := pending_block(job.collection, after=last):
        as_they_are = job.rewriter == AS_THEY_ARE
        captioned = rewrite_by_rules(collection=job.collection, description_ids=block, as_they_are=as_they_are)
        progress.count(captioned)
        last = block[-1]
        if time.monotonic() > until:
            return 0
    return None
