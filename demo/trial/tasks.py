"""Celery tasks of this room."""

from celery import shared_task


@shared_task(name="demo.tasks.build_trial")
def build_trial(build_id: int) -> None:
    """Build a theatre that somebody tries."""
    from demo.trial.build_job import run_build  # what draws and searches is loaded by who builds alone

    run_build(build_id=build_id)
