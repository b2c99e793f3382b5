"""Celery's way to this room's services."""

from celery import shared_task

from datasets.publications import work_on_publication
from datasets.release_jobs import make_asked_release


@shared_task
def make_release(job_id: int) -> None:
    """Make a release that a lead has asked for."""
    make_asked_release(job_id=job_id)


@shared_task(time_limit=24 * 60 * 60)
def publish_release(publication_id: int) -> None:
    """Look what a publication would send where, or send it: a large one, for hours."""
    work_on_publication(publication_id=publication_id)


@shared_task
def score_run(run_id: int) -> None:
    """Score a run that was uploaded, and compare its board anew."""
    from datasets.scoring import score_stored_run

    score_stored_run(run_id=run_id)
