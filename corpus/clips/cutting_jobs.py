"""Jobs that cut a collection's clips: one worker takes the videos in order, others help from the last one backwards."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from celery import shared_task
from django.db import transaction
from django.utils.translation import gettext as _

from corpus.clips.cut_clips import WAITED_FOR, CuttingPlan, cut_clips_of_video, lacking, videos_to_cut
from corpus.clips.lost_files import let_go_of_lost
from corpus.clips.sound_of_clips import clips_have_sound
from corpus.models import ClipCutting, Moment, clip_failed, clip_ready
from foundation.infra.advisory_lock import somebody_is_at
from foundation.infra.jobs import JobProgress, job_task
from foundation.infra.parallel_tasks import worker_processes
from foundation.infra.task_queue import QueueAway, open_queue
from foundation.models import Collection, Membership
from foundation.refused import Refused

SLICE = 5 * 60
"""Seconds that the job works before it lets others have the worker for a moment."""
MOST_HELPERS = 32
COUNTED_EVERY = 1.0
HELP = "corpus.tasks.help_cutting"


def ask_for_cutting(*, collection: Collection, member: Membership | None, plan: CuttingPlan) -> ClipCutting:
    """Record a job that cuts what the plan asks for; the caller sends it (`ask`).

    Returns: the one that is under way, if there is one: it is left as it is, but it doesn't end before this transaction
    does, and then cuts also what waits to be judged by then.
    Raises: Refused for a collection without clips.
    """
    if not collection.has_clips:
        raise Refused(_("This collection has descriptions without videos, so it has no clips."))
    with transaction.atomic():
        held = None
        while held is None:
            asked = {"member": member, "plan": asdict(plan)}
            job = ClipCutting.to_do().get_or_create(collection=collection, defaults=asked)[0]
            held = ClipCutting.to_do().select_for_update(no_key=True, of=("self",)).filter(pk=job.pk).first()
        return held


@job_task(ClipCutting)
def run_cutting(job: ClipCutting, progress: JobProgress) -> float | None:
    """Cut what the job asks for; every clip is kept by itself."""
    collection, plan, until = job.collection, CuttingPlan(**job.plan), time.monotonic() + SLICE
    if not job.total:
        if not plan.waiting:
            progress.note(step="Looking for clips whose files are gone")
            let_go_of_lost(collection)
        else:
            # As the others have it: a clip that differs would tell where its moment came from.
            plan = replace(plan, sound=clips_have_sound(collection))
            job.plan = asdict(plan)
            job.save(update_fields=["plan"])
        job.total = lacking(collection, plan).count()
        progress.note(total=job.total, done=0, step="")
    left = list(videos_to_cut(collection, plan).filter(pk__gt=job.after).values_list("pk", flat=True))
    helpers = _call_helpers(job, len(left) - 1)
    plan = replace(plan, threads=1 if helpers else 0)
    count_now = _counting(job, plan, progress)
    for video in left:
        cut_clips_of_video(video_id=video, plan=plan, after_clip=count_now)
        progress.note(after=video)
        count_now()
        if time.monotonic() > until:
            return 0
    job.done, job.said = job.total - min(job.total, lacking(collection, plan).count()), _in_words(collection)
    if _end(job):
        return None
    progress.note(after=0)
    return 0


def _end(job: ClipCutting) -> bool:
    """End the job, unless batches were opened behind it whose pairs lack clips: those it cuts as well."""
    with transaction.atomic():
        # Who opens batches holds the row until they can be seen (`ask_for_cutting`).
        ClipCutting.objects.select_for_update(no_key=True, of=("self",)).get(pk=job.pk)
        if lacking(job.collection, WAITED_FOR).exists():
            return False
        job.save(update_fields=["done", "total", "said"])
        job.end()
        return True


def _counting(job: ClipCutting, plan: CuttingPlan, progress: JobProgress) -> Callable[[], None]:
    """What records how many moments are done, by helpers too, at most once a second."""
    counted = 0.0

    def note() -> None:
        nonlocal counted
        if time.monotonic() - counted > COUNTED_EVERY:
            counted = time.monotonic()
            progress.note(done=max(0, job.total - lacking(job.collection, plan).count()))

    return note


def _call_helpers(job: ClipCutting, most: int) -> int:
    """Ask other processes of workers to cut as well. Returns: how many were asked."""
    helpers = min(most, MOST_HELPERS, worker_processes() - 1)
    if helpers < 1:
        return 0
    with suppress(QueueAway), open_queue() as put:
        for _ in range(helpers):
            put(HELP, job.pk, expires=SLICE)
        return helpers
    return 0


@shared_task(name=HELP)
def help_with_cutting(cutting_id: int) -> None:
    """Cut videos of a job from the last one on, while it is under way; skips those that another process is cutting."""
    until = time.monotonic() + SLICE
    job = ClipCutting.to_do().filter(pk=cutting_id).select_related("collection").first()
    if job is None:
        return
    plan = replace(CuttingPlan(**job.plan), threads=1)
    for video in (
        videos_to_cut(job.collection, plan).filter(pk__gt=job.after).order_by("-pk").values_list("pk", flat=True)
    ):
        underway = ClipCutting.to_do().filter(pk=cutting_id, after__lt=video)
        if time.monotonic() > until or not underway.exists():
            return
        if not somebody_is_at("corpus.cutting", video):
            with suppress(_NotWanted):
                cut_clips_of_video(video_id=video, plan=plan, after_clip=_while(underway))


class _NotWanted(Exception):
    """The job was stopped."""


def _while(underway: Any) -> Callable[[], None]:
    def go_on() -> None:
        if not underway.exists():
            raise _NotWanted

    return go_on


def _in_words(collection: Collection) -> str:
    moments = Moment.objects.filter(video__collection=collection)
    ready, failed = moments.filter(clip_ready("clip__")).count(), moments.filter(clip_failed("clip__")).count()
    missing = moments.count() - ready - failed
    parts = [f"{ready:,} {'clip is' if ready == 1 else 'clips are'} there"]
    parts += [f"{failed:,} could not be cut"] if failed else []
    parts += [f"{missing:,} {'moment has' if missing == 1 else 'moments have'} none yet"] if missing else []
    return "; ".join(parts)
