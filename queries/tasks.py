"""Celery's way to this room's services."""

import os
import time
from typing import Any

from celery import shared_task

from corpus.jobs import Progress, run_job
from corpus.models import Collection
from queries.asking_again import rewrite_again
from queries.checking import check_captions, collection_lexicon
from queries.deciding import NotInReview, clean, edit_caption
from queries.embeddings import encode_missing
from queries.models import Caption, RewriteJob
from queries.pipeline import run_job as run_job_of_rewriting
from queries.rewriters import RewriterError
from queries.rewriters.llm import patience_from
from queries.rewriting import check_answers, rewrite_descriptions
from queries.search_blocks import search_part

SLICE_SECONDS = 600
"""A job goes on in a new task after so long: well below Celery's time limit and the broker's patience."""


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
    """Go on with a job for a while, then leave the rest to the next such task: `run_job`. Returns the job's state."""
    run_job(RewriteJob, job_id, _go_on, refusals=(RewriterError,))
    return RewriteJob.objects.get(pk=job_id).state


def _go_on(job: RewriteJob, progress: Progress) -> float | None:
    # A batch takes hours: it is looked after and left, so that the worker is free meanwhile.
    if run_job_of_rewriting(job=job, until=time.monotonic() + (0 if job.batch_api else SLICE_SECONDS)):
        return None
    return patience_from(os.environ).poll if job.batch_api else 0


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
