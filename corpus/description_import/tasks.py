"""Celery tasks that import descriptions."""

from contextlib import suppress

from celery import shared_task

from corpus.description_import.jobs import run_import
from corpus.description_import.previews import run_preview
from foundation.refused import Busy


@shared_task(name="corpus.tasks.import_file")
def import_file(import_id: int) -> None:
    """Import a kept file of descriptions, after the one that is being imported into the same collection."""
    with suppress(Busy):  # it is in the queue again
        run_import(import_id=import_id)


@shared_task(name="corpus.tasks.preview_import")
def preview_import(preview_id: int) -> None:
    """Read a kept file of descriptions for its preview; nothing is imported."""
    run_preview(preview_id=preview_id)
