"""Where Celery finds this room's tasks; each is safe to repeat."""

from celery.signals import worker_ready
from django.db import connection

from datasets.leaderboard.runs import unfinished_runs
from datasets.leaderboard.tasks import score_run
from datasets.publishing.jobs import unfinished_publications
from datasets.publishing.tasks import publish_release
from datasets.releases.jobs import unfinished_release_jobs
from datasets.releases.tasks import make_release

__all__ = ["make_release", "publish_release", "resume", "score_run"]


@worker_ready.connect
def resume(**_: object) -> None:
    """Queue what an earlier worker left unfinished when it was killed."""
    for job_id in unfinished_release_jobs():
        make_release.delay(job_id)
    for publication_id in unfinished_publications():
        publish_release.delay(publication_id)
    for run_id in unfinished_runs():
        score_run.delay(run_id)
    # This is the parent of the worker's processes: they must not inherit its connection.
    connection.close()
