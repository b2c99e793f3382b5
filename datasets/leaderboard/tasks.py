"""Celery tasks that score runs."""

from celery import shared_task


@shared_task(name="datasets.tasks.score_run")
def score_run(run_id: int) -> None:
    """Score a run that was uploaded, and compare its board anew."""
    from datasets.leaderboard.scoring import score_stored_run

    score_stored_run(run_id=run_id)
