"""Celery tasks that cut clips."""

from typing import Any

from celery import shared_task

from corpus.clips.cut_clips import CuttingPlan, cut_clips_of_video
from corpus.clips.cutting_jobs import help_with_cutting, run_cutting


@shared_task(name="corpus.tasks.cut_video")
def cut_video(video_id: int, **plan: Any) -> int:
    """Cut what a video's moments lack of the plan (`CuttingPlan`'s fields); returns how many moments were tried."""
    return cut_clips_of_video(video_id=video_id, plan=CuttingPlan(**plan))


@shared_task(name="corpus.tasks.cut_collection")
def cut_collection(cutting_id: int) -> None:
    """Cut what a job (`ClipCutting`) asks for, a slice of its work at a time."""
    run_cutting(cutting_id=cutting_id)


@shared_task(name="corpus.tasks.help_cutting")
def help_cutting(cutting_id: int) -> None:
    """Cut some of what a job asks for, beside the worker that has it."""
    help_with_cutting(cutting_id=cutting_id)
