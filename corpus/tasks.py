"""Celery's way to this room's services."""

from typing import Any

from celery import shared_task

from corpus.clips import Plan, cut_clips_of_video
from corpus.import_jobs import run_import


@shared_task
def cut_video(video_id: int, **plan: Any) -> int:
    """Cut what a video's moments lack of the plan (`Plan`'s fields); returns how many moments were tried."""
    return cut_clips_of_video(video_id=video_id, plan=Plan(**plan))


@shared_task
def import_file(import_id: int) -> None:
    """Import a kept file of descriptions."""
    run_import(import_id=import_id)
