"""Discarded pairs for the lead: every grade, the clip, the adjudication."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Prefetch, Q, QuerySet

from annotation.models import Adjudication, Judgment, Pair
from annotation.review.selectors import RawGrade
from foundation.infra.list_pages import Order
from foundation.models import Collection

BY_RANK = Order(("batch_id", "candidate__rank"))
"""By query and rank: a batch is of one query."""


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """The lead's grade of a discarded pair; `withdrawn_by` is set once it was withdrawn."""

    adjudication: int
    grade: int
    reason: str
    by: str
    decided_at: datetime
    withdrawn_by: str | None
    withdrawn_at: datetime | None


@dataclass(frozen=True, slots=True)
class DiscardedPair:
    """A discarded pair; `standing` is its current adjudication, `former` are withdrawn ones, newest first."""

    pair: int
    batch: int
    query: str
    split: str
    rank: int
    similarity: float | None
    caption: str | None
    video: str
    start: float
    end: float
    clip: str | None
    raw: list[RawGrade]
    standing: Adjudicated | None
    former: list[Adjudicated]


def discarded_pairs(collection: Collection, *, kind: str = "", asked: str = "") -> QuerySet[Pair]:
    """Discarded pairs, unordered, with what `with_details` tells of them.

    Args: kind: "open", "adjudicated" or "" for all. asked: words of the query.
    """
    pairs = Pair.objects.filter(batch__collection=collection, status=Pair.Status.DISCARDED)
    standing = Adjudication.objects.filter(withdrawn_at__isnull=True).values("pair")
    if kind == "open":
        pairs = pairs.exclude(pk__in=standing)
    elif kind == "adjudicated":
        pairs = pairs.filter(pk__in=standing)
    for word in asked.split():
        pairs = pairs.filter(batch__query__text__icontains=word)
    given = Judgment.objects.filter(counted=True).select_related("annotator").order_by("pk")
    decided = Adjudication.objects.select_related("decided_by", "withdrawn_by").order_by("-pk")
    return pairs.select_related("batch__query", "candidate__moment__video", "candidate__moment__clip").prefetch_related(
        Prefetch("judgments", given), Prefetch("adjudications", decided)
    )


def adjudication_counts(collection: Collection) -> dict[str, int]:
    """Discarded pairs, and how many of them are adjudicated. One SQL query."""
    return Pair.objects.filter(batch__collection=collection, status=Pair.Status.DISCARDED).aggregate(
        all=Count("pk"),
        adjudicated=Count("pk", filter=Q(pk__in=Adjudication.objects.filter(withdrawn_at__isnull=True).values("pair"))),
    )


def with_details(pairs: Iterable[Pair]) -> list[DiscardedPair]:
    """Pairs of `discarded_pairs`, with everything that the lead needs to adjudicate."""
    return [_with_details(pair) for pair in pairs]


def _with_details(pair: Pair) -> DiscardedPair:
    candidate, moment = pair.candidate, pair.candidate.moment
    decided = [_adjudicated(adjudication) for adjudication in pair.adjudications.all()]
    return DiscardedPair(
        pair=pair.pk,
        batch=pair.batch_id,
        query=pair.batch.query.text,
        split=pair.batch.query.split,
        rank=candidate.rank,
        similarity=candidate.similarity,
        caption=candidate.caption_text or None,
        video=moment.video.name,
        start=moment.start,
        end=moment.end,
        clip=moment.clip_name,
        raw=[RawGrade(judgment.annotator.worker, judgment.grade, judgment.round) for judgment in pair.judgments.all()],
        standing=next((adjudication for adjudication in decided if adjudication.withdrawn_at is None), None),
        former=[adjudication for adjudication in decided if adjudication.withdrawn_at is not None],
    )


def _adjudicated(adjudication: Adjudication) -> Adjudicated:
    return Adjudicated(
        adjudication=adjudication.pk,
        grade=adjudication.grade,
        reason=adjudication.reason,
        by=adjudication.decided_by.worker,
        decided_at=adjudication.decided_at,
        withdrawn_by=adjudication.withdrawn_by.worker if adjudication.withdrawn_by is not None else None,
        withdrawn_at=adjudication.withdrawn_at,
    )
