"""Data of the page of clips."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Q
from django.utils import timezone

from corpus.clips.cut_clips import CuttingPlan, lacking
from corpus.clips.moment_hooks import moments_of
from corpus.models import Clip, Moment, clip_failed, clip_ready
from foundation.models import Collection

SHOWN = 50


@dataclass(frozen=True, slots=True)
class Failure:
    """A clip that couldn't be cut: its video and moment (ids), start and end (s), why."""

    video: int
    moment: int
    name: str
    start: float
    end: float
    problem: str


@dataclass(frozen=True, slots=True)
class ClipFigures:
    """How a collection's clips stand, in moments.

    `waiting` have no clip and weren't tried, or will be tried again by themselves; `candidates` of these are candidates
    of a query (None where there are no candidates yet). `without_file`: videos that have moments and no file.
    `former`: videos whose clips show an earlier file. `at`: as of when.
    """

    moments: int
    ready: int
    failed: int
    waiting: int
    candidates: int | None
    without_file: int
    former: int
    failures: list[Failure]
    descriptions: int
    at: datetime

    @property
    def share(self) -> float:
        """Percent of the moments that have a clip, 0-100."""
        return 100 * self.ready / self.moments if self.moments else 0.0


def clip_figures(collection: Collection) -> ClipFigures:
    """Count a collection's clips."""
    began = timezone.now()
    moments = Moment.objects.filter(video__collection=collection)
    counts = moments.aggregate(
        all=Count("pk"),
        ready=Count("pk", filter=clip_ready("clip__")),
        failed=Count("pk", filter=clip_failed("clip__")),
    )
    failed = Clip.objects.filter(clip_failed(), moment__video__collection=collection).select_related("moment__video")
    ready = Clip.objects.filter(clip_ready(), moment__video__collection=collection)
    former = ~Q(cut_from="") & ~Q(moment__video__fingerprint="") & ~Q(cut_from=F("moment__video__fingerprint"))
    candidates = lacking(collection, CuttingPlan(candidates=True), clips_alone=True)
    picked = moments_of("candidates", collection).exists()
    return ClipFigures(
        moments=counts["all"],
        ready=counts["ready"],
        failed=counts["failed"],
        waiting=lacking(collection, clips_alone=True).count(),
        candidates=candidates.count() if picked else None,
        without_file=collection.videos.filter(path="", moments__isnull=False).distinct().count(),
        former=ready.filter(former).values("moment__video").distinct().count(),
        failures=[
            Failure(
                clip.moment.video_id,
                clip.moment_id,
                clip.moment.video.name,
                clip.moment.start,
                clip.moment.end,
                clip.problem,
            )
            for clip in failed.order_by("moment__video__name", "moment__start")[:SHOWN]
        ],
        descriptions=collection.descriptions.count(),
        at=began,
    )
