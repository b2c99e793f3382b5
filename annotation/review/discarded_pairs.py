"""Discarded pairs for the lead: every grade, the clip, the adjudication."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Prefetch, Q, QuerySet

from annotation.models import Adjudication, Judgment, Pair
from annotation.review.selectors import RawGrade
from annotation.shown_pair import ShownPair
from foundation.infra.list_pages import Order
from foundation.models import Collection

BY_RANK = Order(("batch_id", "candidate__rank"))
"""By query and rank: a batch is of one query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardedPair(ShownPair):
    """A discarded pair; `standing` is its current adjudication, `former` are withdrawn ones, newest first."""

    caption: str | None
    split: str
    rank: int
    similarity: float | None
    raw: list[RawGrade]
    standing: Adjudication | None
    former: list[Adjudication]


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
    decided = list(pair.adjudications.all())
    return DiscardedPair.of(
        pair,
        caption=pair.candidate.caption_text or None,
        split=pair.batch.query.split,
        rank=pair.candidate.rank,
        similarity=pair.candidate.similarity,
        raw=[RawGrade(judgment.annotator.worker, judgment.grade, judgment.round) for judgment in pair.judgments.all()],
        standing=next((adjudication for adjudication in decided if adjudication.withdrawn_at is None), None),
        former=[adjudication for adjudication in decided if adjudication.withdrawn_at is not None],
    )
