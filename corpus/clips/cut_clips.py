"""Cut moments' clips and store them under addresses that reveal nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from celery import shared_task
from django.db.models import F, Q, QuerySet

from corpus.clips.cut import CutSpan, cut_film
from corpus.clips.cut_orders import ClipOrder, ContextOrder, GifOrder, Order, remove_leftovers
from corpus.clips.lost_files import GONE
from corpus.clips.masks import regions_of
from corpus.clips.moment_hooks import moments_of
from corpus.clips.probe import fingerprint
from corpus.clips.video_reader import FilmError
from corpus.models import Moment, UnfinishedFile, Video, clip_failed, clip_ready
from foundation.infra.advisory_lock import alone_at
from foundation.models import Collection


@dataclass(frozen=True, slots=True)
class CuttingPlan:
    """What `cut_clips` is asked for. Its fields survive JSON, so that workers get the same."""

    retry: bool = False
    """Try again what failed before."""
    retry_before: str = ""
    """Try again what failed before this time (ISO 8601): doing it twice tries nothing twice."""
    sound: bool = False
    """Clips have sound."""
    gif: bool = False
    """A GIF beside every clip."""
    context: float | None = None
    """Seconds before and after the moment in one more clip, for leads; where annotators see some, as many as they."""
    candidates: bool = False
    """Only moments that are candidates of a query."""
    waiting: bool = False
    """Only moments of pairs that are open for judging, of videos that have a file."""
    again_before: str = ""
    """Replace clips made before this time (ISO 8601). A time and not a flag: doing it twice replaces nothing twice."""
    judged_too: bool = False
    """Replace also clips that somebody has judged."""
    threads: int = 1
    """Threads of one video's decoder: one where several videos are cut at once."""


EVERY_CLIP = CuttingPlan()
WAITED_FOR = CuttingPlan(waiting=True)


def lacking(collection: Collection, plan: CuttingPlan = EVERY_CLIP, *, clips_alone: bool = False) -> QuerySet[Moment]:
    """The collection's moments that lack a file the plan asks for; `clips_alone`: that lack their clip."""
    moments = Moment.objects.filter(video__collection=collection)
    if plan.candidates:
        moments = moments.filter(pk__in=moments_of("candidates", collection).values("pk"))
    if plan.waiting:
        # A video whose file is still to come has failed at nothing.
        waiting = moments_of("context" if collection.context_seconds else "waiting", collection)
        moments = moments.filter(pk__in=waiting.values("pk")).exclude(video__path="")
    due = _clip_is_due(collection, plan)
    if clips_alone:
        return moments.filter(due)
    if plan.gif:
        due |= _gif_is_due()
    if _context_seconds(collection, plan):
        due |= _context_is_due(collection, plan)
    return moments.filter(due)


def _clip_is_due(collection: Collection, plan: CuttingPlan) -> Q:
    # What failed with another file is tried by itself with the one that has come since.
    failed = clip_failed("clip__")
    due = Q(clip__isnull=True) | (failed & Q(clip__problem=GONE))
    due |= failed & (_is_retried(plan, "clip__") | ~Q(clip__cut_from=F("video__fingerprint")))
    if plan.again_before:
        again = Q(clip__made_at__lt=datetime.fromisoformat(plan.again_before))
        if not plan.judged_too:
            again &= ~Q(pk__in=moments_of("judged", collection).values("pk"))
        due |= again
    return due


def _gif_is_due() -> Q:
    # Never from another file than its clip: it would show something else.
    same = Q(clip__cut_from=F("video__fingerprint"))
    return clip_ready("clip__") & Q(clip__gif_file="") & same


def _context_seconds(collection: Collection, plan: CuttingPlan) -> float:
    return collection.context_seconds or plan.context or 0.0


def _context_is_due(collection: Collection, plan: CuttingPlan) -> Q:
    failed = clip_failed("context__")
    due = (
        Q(context__isnull=True)
        | ~Q(context__seconds=_context_seconds(collection, plan))
        | ~Q(context__cut_from=F("video__fingerprint"))
        | (failed & _is_retried(plan, "context__"))
    )
    # Annotators need it of what they judge, whatever else is cut.
    shown = Q(pk__in=moments_of("context", collection).values("pk")) & ~Q(video__path="")
    return due if plan.context is not None else due & shown


def _is_retried(plan: CuttingPlan, path: str) -> Q:
    """Condition of a failed clip: the plan has it tried again."""
    if plan.retry:
        return ~Q(pk__in=[])
    before = plan.retry_before
    return Q((f"{path}made_at__lt", datetime.fromisoformat(before))) if before else Q(pk__in=[])


def videos_to_cut(collection: Collection, plan: CuttingPlan = EVERY_CLIP) -> QuerySet[Video]:
    """Videos with a moment that lacks something of the plan, or with files left over by a writer that was killed."""
    left = UnfinishedFile.objects.filter(video__collection=collection)
    condition = Q(pk__in=lacking(collection, plan).values("video")) | Q(pk__in=left.values("video"))
    return collection.videos.filter(condition).order_by("pk")


def cut_clips_of_video(
    *, video_id: int, plan: CuttingPlan = EVERY_CLIP, after_clip: Callable[[], None] = lambda: None
) -> int:
    """Cut what a video's moments lack. Returns how many moments were tried.

    Args: after_clip: called after each clip; what it raises ends the work between two clips.

    Each clip is committed by itself, so a kill loses the one in work. What can't be cut or stored is recorded with
    its reason and doesn't stop the others. Safe to repeat and to run twice at once: a video is one writer's at a time.
    """
    with alone_at("corpus.cutting", video_id, wait=True):
        video = Video.objects.select_related("collection").get(pk=video_id)
        remove_leftovers(video)
        orders = _orders(video, plan)
        problem = _why_not(video) if orders else ""
        if problem:
            for order in orders:
                order.fail(problem)
        elif orders:
            _cut(video, orders, plan, after_clip)
        return len({order.moment.pk for order in orders})


@shared_task(name="corpus.tasks.cut_video")
def cut_video(video_id: int, **plan: Any) -> int:
    """Cut what a video's moments lack of the plan (`CuttingPlan`'s fields); returns how many moments were tried."""
    return cut_clips_of_video(video_id=video_id, plan=CuttingPlan(**plan))


def _cut(video: Video, orders: list[Order], plan: CuttingPlan, after_clip: Callable[[], None]) -> None:
    results = cut_film(
        Path(video.path),
        [order.stretch for order in orders],
        frame_rate=video.frame_rate,
        sound=plan.sound or video.collection.counts_sound,
        slack=video.collection.end_slack,
        threads=plan.threads,
        hidden=regions_of(video),
    )
    done: set[int] = set()
    try:
        for place, result in results:
            done.add(place)
            if isinstance(result, FilmError):
                orders[place].fail(str(result))
            else:
                orders[place].keep(result)
            after_clip()
    except FilmError as error:  # the film can't even be opened
        for place, order in enumerate(orders):
            if place not in done:
                order.fail(str(error))


def _why_not(video: Video) -> str:
    if not video.path:
        return f"{video.name} has no video file"
    path = Path(video.path)
    try:
        if not path.exists():
            return f"the file of {video.name} is gone"
        if video.fingerprint and fingerprint(path, video.frame_rate) != video.fingerprint:
            return f"the file of {video.name} is not the one that import_videos saw: import the videos again"
    except (OSError, FilmError) as error:
        return f"the file of {video.name} can't be read: {error}"
    return ""


def _orders(video: Video, plan: CuttingPlan) -> list[Order]:
    orders: list[Order] = []
    due = set(lacking(video.collection, plan).filter(video=video).values_list("pk", flat=True))
    clip_due = set(Moment.objects.filter(_clip_is_due(video.collection, plan), pk__in=due).values_list("pk", flat=True))
    gif_due = set(Moment.objects.filter(_gif_is_due(), pk__in=due).values_list("pk", flat=True)) if plan.gif else set()
    context_due: set[int] = set()
    seconds = _context_seconds(video.collection, plan)
    if seconds:
        lacking_context = Moment.objects.filter(_context_is_due(video.collection, plan), pk__in=due)
        context_due = set(lacking_context.values_list("pk", flat=True))
    for moment in video.moments.filter(pk__in=due).select_related("clip", "context", "video").order_by("start", "pk"):
        if moment.pk in clip_due:
            orders.append(ClipOrder(video, moment, CutSpan(moment.start, moment.end, gif=plan.gif)))
        elif moment.pk in gif_due:
            orders.append(GifOrder(video, moment, CutSpan(moment.start, moment.end, mp4=False, gif=True)))
        if moment.pk in context_due:
            start, end = max(0.0, moment.start - seconds), moment.end + seconds
            orders.append(ContextOrder(video, moment, CutSpan(start, end, poster=False, whole=False), seconds))
    return orders
