"""Celery tasks that import descriptions."""

from celery import Task, shared_task
from celery.signals import worker_ready
from django.db import connection

from corpus.importing.jobs import run_import, unfinished_imports
from corpus.infra.advisory_lock import DescriptionsBusy

BUSY_SECONDS = 5
"""Until an import is tried again that another one stands in the way of."""


@shared_task(bind=True, max_retries=None, name="corpus.tasks.import_file")
def import_file(self: Task, import_id: int) -> None:
    """Import a kept file of descriptions, after the one that is being imported into the same collection."""
    try:
        run_import(import_id=import_id)
    except DescriptionsBusy as busy:
        # Not by waiting here: this process has other work.
        raise self.retry(exc=busy, countdown=BUSY_SECONDS) from busy


@worker_ready.connect
def resume_imports(**_: object) -> None:
    """What an earlier worker left behind when it was killed goes on with the next that starts."""
    for import_id in unfinished_imports():
        import_file.delay(import_id)
    # This is the parent of the worker's processes: they must not inherit its connection.
    connection.close()
