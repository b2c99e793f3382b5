"""Celery tasks that import descriptions."""

from celery import shared_task

from corpus.importing.jobs import run_import


@shared_task(name="corpus.tasks.import_file")
def import_file(import_id: int) -> None:
    """Import a kept file of descriptions."""
    run_import(import_id=import_id)
