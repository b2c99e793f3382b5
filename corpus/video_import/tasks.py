"""Celery tasks that import videos."""

from contextlib import suppress

from celery import shared_task

from corpus.video_import.jobs import run_video_import
from foundation.refused import Busy


@shared_task(name="corpus.tasks.import_video_files")
def import_video_files(import_id: int) -> None:
    """Give a collection's videos their files, after whoever does so already."""
    with suppress(Busy):  # it is in the queue again
        run_video_import(import_id=import_id)
