"""Celery tasks of pooling."""

from celery import shared_task

from queries.pooling.fetch_jobs import fetch_asked_candidates


@shared_task(name="queries.tasks.fetch_for_lead")
def fetch_for_lead(job_id: int) -> None:
    """Fetch the candidates that a lead has asked for."""
    fetch_asked_candidates(job_id=job_id)
