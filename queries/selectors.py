"""What the pages of this room, and the desk, read."""

from django.db.models import Count, QuerySet

from corpus.models import Collection, Moment
from queries.models import Candidate, Caption, Query


def captions_in_review(collection: Collection) -> QuerySet[Caption]:
    """Captions that wait for a person, in the order of their import, with what the checks said."""
    return (
        Caption.objects.filter(description__collection=collection, status=Caption.Status.REVIEW)
        .select_related("description", "attempt")
        .prefetch_related("description__attempts")
        .order_by("pk")
    )


def caption_counts(collection: Collection) -> dict[str, int]:
    """Captions by status, and under "pending" the descriptions that have none yet."""
    counts = dict(
        Caption.objects.filter(description__collection=collection).values_list("status").annotate(Count("pk"))
    )
    counts["pending"] = collection.descriptions.filter(caption__isnull=True).count()
    return counts


def query_counts(collection: Collection) -> dict[str, int]:
    """Drawn queries by split, and under "ranked" those that have their candidates."""
    counts = dict(Query.objects.filter(collection=collection).values_list("split").annotate(Count("pk")))
    counts["ranked"] = Query.objects.filter(collection=collection, candidates__rank=1).count()
    return counts


def candidate_moments(collection: Collection) -> QuerySet[Moment]:
    """Moments that are a candidate of some query, in whatever batch: those that annotators are or will be shown."""
    return Moment.objects.filter(pk__in=Candidate.objects.filter(query__collection=collection).values("moment"))
