"""Celery tasks that cut clips."""

from typing import Any

from celery import shared_task

from corpus.clips.cut_clips import Plan, cut_clips_of_video


@shared_task(name="corpus.tasks.cut_video")
def cut_video(video_id: int, **plan: Any) -> int:
    """Cut what a video's moments lack of the plan (`Plan`'s fields); returns how many moments were tried."""
    return cut_clips_of_video(video_id=video_id, plan=Plan(**plan))
