"""Celery tasks of the desk."""

from celery import shared_task

from desk.running.run import go_on
from desk.waiting_mails import tell_leads

__all__ = ["go_on_running", "tell_leads"]


@shared_task(name="desk.tasks.go_on_running")
def go_on_running(run_id: int) -> None:
    """Go on with a run to open (`run_job`)."""
    go_on(run_id=run_id)
