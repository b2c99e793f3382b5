"""Celery's way to this room's services."""

from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.db import connection

from corpus.clips import Plan, cut_clips_of_video
from corpus.import_jobs import run_import, unfinished_imports


@shared_task
def cut_video(video_id: int, **plan: Any) -> int:
    """Cut what a video's moments lack of the plan (`Plan`'s fields); returns how many moments were tried."""
    return cut_clips_of_video(video_id=video_id, plan=Plan(**plan))


@shared_task
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
