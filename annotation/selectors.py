"""What the pages of this room read."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet
from django.utils import timezone

from annotation.batches import recommendation
from annotation.judging import is_last
from annotation.models import Batch, Judgment, Pair
from annotation.review_rule import Recommendation
from corpus.models import Collection, Membership, Moment


def judged_today(member: Membership) -> int:
    """A member's counted judgments since midnight (UTC)."""
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    return member.judgments.filter(counted=True, given_at__gte=midnight).count()


def why_no_work(member: Membership) -> str:
    """One calm line for an annotator whom no pair can be given."""
    collection = member.collection
    judging = Batch.objects.filter(
        query__collection=collection, status__in=[Batch.Status.FIRST_ROUND, Batch.Status.SECOND_ROUND]
    ).count()
    if judging:
        noun = "query is" if judging == 1 else "queries are"
        return (
            f"No work for you right now: {judging:,} {noun} with other annotators or have been judged by you. "
            "This page looks again by itself."
        )
    if Batch.objects.filter(query__collection=collection, status=Batch.Status.DECIDED).exists():
        return "No work for you right now: what was judged waits for the lead. This page looks again by itself."
    if Batch.objects.filter(query__collection=collection).exists():
        return "Everything is judged. Thank you."
    return "Nothing is open for judging yet. The lead opens it; this page looks again by itself."


def review_queue(collection: Collection) -> QuerySet[Batch]:
    """Decided batches that wait for the lead, oldest first, those put off at the end."""
    from django.db.models import F

    return (
        Batch.objects.filter(query__collection=collection, status=Batch.Status.DECIDED)
        .select_related("query__collection")
        .order_by(F("postponed_at").asc(nulls_first=True), "pk")
    )


@dataclass(frozen=True, slots=True)
class ReviewedPair:
    """One of a batch's candidates as the lead sees it."""

    rank: int
    similarity: float
    caption: str
    video: str
    start: float
    end: float
    grade: int | None
    status: str
    judgments: list[int]
    clip: str | None
    in_tail: bool


@dataclass(frozen=True, slots=True)
class ReviewSheet:
    """Everything that the lead needs to decide a batch."""

    batch: Batch
    pairs: list[ReviewedPair]
    recommendation: Recommendation
    may_extend: bool


def review_sheet(batch: Batch) -> ReviewSheet:
    """A batch's candidates in rank order, with grades, raw grades, captions and clips. Five SQL queries."""
    verdict = recommendation(batch)
    counted = Prefetch("judgments", Judgment.objects.filter(counted=True).order_by("pk"))
    rows = []
    pairs = batch.pairs.select_related("candidate__moment__video", "candidate__moment__clip")
    for pair in pairs.prefetch_related(counted).order_by("candidate__rank"):
        candidate, moment = pair.candidate, pair.candidate.moment
        clip = getattr(moment, "clip", None)
        rows.append(
            ReviewedPair(
                rank=candidate.rank,
                similarity=candidate.similarity,
                caption=candidate.caption_text,
                video=moment.video.name,
                start=moment.start,
                end=moment.end,
                grade=pair.grade,
                status=pair.status,
                judgments=[judgment.grade for judgment in pair.judgments.all()],
                clip=clip.public_name if clip is not None and clip.ready else None,
                in_tail=candidate.rank in verdict.ranks,
            )
        )
    return ReviewSheet(batch, rows, verdict, may_extend=not is_last(batch))


def progress(collection: Collection) -> dict[str, Any]:
    """Batches, pairs and judgments of a collection by state."""
    batches = dict(Batch.objects.filter(query__collection=collection).values_list("status").annotate(Count("pk")))
    pairs = dict(Pair.objects.filter(batch__query__collection=collection).values_list("status").annotate(Count("pk")))
    judgments = Judgment.objects.filter(pair__batch__query__collection=collection, counted=True).count()
    waiting_for_clip = 0
    if collection.has_clips:
        waiting_for_clip = (
            Pair.objects.filter(batch__query__collection=collection, status__in=["open", "disputed"])
            .filter(Q(candidate__moment__clip__isnull=True) | Q(candidate__moment__clip__video_file=""))
            .count()
        )
    return {"batches": batches, "pairs": pairs, "judgments": judgments, "waiting_for_clip": waiting_for_clip}


def judged_moments(collection: Collection) -> QuerySet[Moment]:
    """Moments that somebody has judged, whether it counts or not: what they saw is what the grades are about."""
    judged = Judgment.objects.filter(pair__candidate__query__collection=collection)
    return Moment.objects.filter(pk__in=judged.values("pair__candidate__moment"))
