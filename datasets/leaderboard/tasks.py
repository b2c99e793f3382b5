"""Celery tasks that score runs."""

from celery import shared_task


@shared_task(name="datasets.tasks.score_run")
def score_run(run_id: int) -> None:
    """Score an uploaded run, and compare its board again."""
    from datasets.leaderboard.scoring import score_stored_run

    score_stored_run(run_id=run_id)
