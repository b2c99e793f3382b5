"""Celery tasks that make releases."""

from celery import shared_task

from datasets.releases.jobs import make_asked_release


@shared_task(name="datasets.tasks.make_release")
def make_release(job_id: int) -> None:
    """Make a release that a lead has asked for."""
    make_asked_release(job_id=job_id)
