"""Celery's way to this room's services."""

import logging
import os
import time
from typing import Any

from celery import shared_task
from celery.signals import worker_ready

from corpus.models import Collection
from queries.asking_again import rewrite_again
from queries.candidate_jobs import fetch_asked_candidates, unfinished_fetches
from queries.checking import check_captions, collection_lexicon
from queries.deciding import NotInReview, clean, edit_caption
from queries.embeddings import encode_missing
from queries.jobs import JobRuns, only_runner
from queries.models import Caption, RewriteJob
from queries.pipeline import run_job
from queries.rewriters import RewriterError
from queries.rewriters.llm import patience_from
from queries.rewriting import check_answers, rewrite_descriptions
from queries.search_blocks import search_part

SLICE_SECONDS = 600
"""A job goes on in a new task after so long: well below Celery's time limit and the broker's patience."""

log = logging.getLogger(__name__)


@shared_task
def rewrite_block(block: dict[str, object]) -> int:
    """Caption a block's descriptions: {"collection": id, "descriptions": [ids]}. Returns how many were captioned."""
    collection = Collection.objects.get(pk=block["collection"])
    return rewrite_descriptions(collection=collection, description_ids=block["descriptions"])  # type: ignore[arg-type]


@shared_task
def check_block(block: dict[str, Any]) -> int:
    """Check a job's answers for these descriptions: {"job": id, "descriptions": [ids]}. Returns captions made."""
    job = RewriteJob.objects.select_related("collection").get(pk=block["job"])
    return check_answers(job=job, description_ids=block["descriptions"])


@shared_task
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


@shared_task
def fetch_for_lead(job_id: int) -> None:
    """Fetch the candidates that a lead has asked for."""
    fetch_asked_candidates(job_id=job_id)


@worker_ready.connect
def take_up_jobs(**_: object) -> None:
    """A worker that starts goes on with the jobs that a worker had begun and didn't end."""
    for fetch_id in unfinished_fetches():
        fetch_for_lead.delay(fetch_id)
    for job_id in RewriteJob.objects.filter(state=RewriteJob.State.RUNNING, unattended=True).values_list(
        "pk", flat=True
    ):
        go_on_rewriting.delay(job_id)


@shared_task
def check_edit(caption_id: int, member_id: int, text: str) -> str:
    """Check a person's caption and put it in place. Returns what stood against it, "" if nothing."""
    try:
        edit_caption(caption_id=caption_id, member_id=member_id, text=text)
    except NotInReview as error:
        return str(error)
    return ""


@shared_task
def check_text(caption_id: int, text: str) -> dict[str, Any]:
    """Check what somebody is typing; nothing is stored. Returns {"caption", "text", "checked": `Checked.as_json`}."""
    caption = Caption.objects.select_related("description__collection").get(pk=caption_id)
    description, collection, text = caption.description, caption.description.collection, clean(text)
    checks = check_captions(collection, collection_lexicon(collection), {description.text: text}, remember=False)
    return {"caption": caption_id, "text": text, "checked": checks[description.text].as_json()}


@shared_task
def ask_again(caption_id: int) -> bool:
    """One more attempt at a caption that waits. Returns whether there is one."""
    return rewrite_again(caption_id=caption_id) is not None


@shared_task(acks_late=True, reject_on_worker_lost=True)
def encode_block(texts: list[str]) -> int:
    """Encode those texts that aren't known yet. Returns how many it was given."""
    return encode_missing(texts)


@shared_task(acks_late=True, reject_on_worker_lost=True)
def search_block(block: dict[str, object]) -> int:
    """Search one block: {"job": folder in storage, "first", "last": queries, "k"}. Returns how many queries."""
    return search_part(**block)  # type: ignore[arg-type]
