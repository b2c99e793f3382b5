"""Celery's way to this room's services."""

from celery import shared_task
from celery.signals import worker_ready
from django.db import connection

from datasets.publications import unfinished_publications, work_on_publication
from datasets.release_jobs import make_asked_release, unfinished_release_jobs


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


@worker_ready.connect
def resume(**_: object) -> None:
    """What an earlier worker left behind when it was killed goes on with the next that starts."""
    from datasets.runs import unfinished_runs

    for job_id in unfinished_release_jobs():
        make_release.delay(job_id)
    for publication_id in unfinished_publications():
        publish_release.delay(publication_id)
    for run_id in unfinished_runs():
        score_run.delay(run_id)
    # This is the parent of the worker's processes: they must not inherit its connection.
    connection.close()
