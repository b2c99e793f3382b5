"""Celery tasks of pooling."""

from celery import shared_task
from celery.signals import worker_ready

from queries.pooling.fetch_jobs import fetch_asked_candidates, unfinished_fetches


@shared_task(name="queries.tasks.fetch_for_lead")
def fetch_for_lead(job_id: int) -> None:
    """Fetch the candidates that a lead has asked for."""
    fetch_asked_candidates(job_id=job_id)


@worker_ready.connect
def take_up_fetches(**_: object) -> None:
    """A worker that starts goes on with what another had begun and didn't end."""
    for job_id in unfinished_fetches():
        fetch_for_lead.delay(job_id)
