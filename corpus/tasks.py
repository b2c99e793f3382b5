"""Celery's way to this room's services."""

from celery import shared_task

from corpus.clips import cut_clips_of_video


@shared_task
def cut_video(video_id: int) -> int:
    """Cut the clips that a video's moments lack; returns how many moments were tried."""
    return cut_clips_of_video(video_id=video_id)


@shared_task
def recut_video(video_id: int) -> int:
    """The same, trying again what failed before."""
    return cut_clips_of_video(video_id=video_id, retry=True)
