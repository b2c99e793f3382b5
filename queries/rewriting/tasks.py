"""Celery tasks of rewriting."""

import logging
import os
import time
from typing import Any

from celery import shared_task
from celery.signals import worker_ready

from corpus.models import Collection
from queries.models import RewriteJob
from queries.rewriting.attempts import check_answers
from queries.rewriting.jobs import JobRuns, only_runner
from queries.rewriting.make_captions import rewrite_descriptions
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.llm import patience_from
from queries.rewriting.run_job import run_job

SLICE_SECONDS = 600
"""A job goes on in a new task after so long: well below Celery's time limit and the broker's patience."""


log = logging.getLogger(__name__)


@shared_task(name="queries.tasks.rewrite_block")
def rewrite_block(block: dict[str, object]) -> int:
    """Caption a block's descriptions: {"collection": id, "descriptions": [ids]}. Returns how many were captioned."""
    collection = Collection.objects.get(pk=block["collection"])
    return rewrite_descriptions(collection=collection, description_ids=block["descriptions"])  # type: ignore[arg-type]


@shared_task(name="queries.tasks.check_block")
def check_block(block: dict[str, Any]) -> int:
    """Check a job's answers for these descriptions: {"job": id, "descriptions": [ids]}. Returns captions made."""
    job = RewriteJob.objects.select_related("collection").get(pk=block["job"])
    return check_answers(job=job, description_ids=block["descriptions"])


@shared_task(name="queries.tasks.go_on_rewriting")
def go_on_rewriting(job_id: int) -> str:
    """Go on with a job for a while, then leave the rest to the next such task. Returns the job's state.

    Whoever comes second finds the job in good hands or closed, and does nothing.
    """
    job = RewriteJob.objects.select_related("collection").get(pk=job_id)
    try:
        with only_runner(job.collection):
            job.refresh_from_db()
            if job.state != RewriteJob.State.RUNNING:
                return job.state
            # A batch takes hours: it is looked after and left, so that the worker is free meanwhile.
            seconds = 0 if job.batch_api else SLICE_SECONDS
            done = run_job(job=job, until=time.monotonic() + seconds)
    except JobRuns as taken:
        return str(taken)
    except RewriterError as fault:
        log.error("Rewriting %s stopped: %s", job.collection.name, fault)
        return str(fault)
    if not done:
        pause = patience_from(os.environ).poll if job.batch_api else 0
        go_on_rewriting.apply_async((job_id,), countdown=pause)
    return job.state


@worker_ready.connect
def take_up_jobs(**_: object) -> None:
    """A worker that starts goes on with the jobs that a worker had begun and didn't end."""
    for job_id in RewriteJob.objects.filter(state=RewriteJob.State.RUNNING, unattended=True).values_list(
        "pk", flat=True
    ):
        go_on_rewriting.delay(job_id)
