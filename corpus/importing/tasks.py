"""Celery tasks that import descriptions."""

from celery import shared_task
from celery.signals import worker_ready
from django.db import connection

from corpus.importing.jobs import run_import, unfinished_imports


@shared_task(name="corpus.tasks.import_file")
def import_file(import_id: int) -> None:
    """Import a kept file of descriptions."""
    run_import(import_id=import_id)


@worker_ready.connect
def resume_imports(**_: object) -> None:
    """What an earlier worker left behind when it was killed goes on with the next that starts."""
    for import_id in unfinished_imports():
        import_file.delay(import_id)
    # This is the parent of the worker's processes: they must not inherit its connection.
    connection.close()
