"""Counts of queries, and the moments that are candidates."""

from django.db.models import Count, Q, QuerySet

from corpus.models import Collection, Moment
from queries.models import Candidate, Query


def query_counts(collection: Collection) -> dict[str, int]:
    """Drawn queries by split, and under "ranked" those that have their candidates."""
    counts = dict(Query.objects.filter(collection=collection).values_list("split").annotate(Count("pk")))
    counts["ranked"] = Query.objects.filter(collection=collection, candidates__rank=1).count()
    return counts


def candidate_moments(collection: Collection) -> QuerySet[Moment]:
    """Moments that are a candidate of some query, in whatever batch: those that annotators are or will be shown.

    Those of the collection's studies too: their clips are cut with the others.
    """
    collections = Collection.objects.filter(Q(pk=collection.pk) | Q(study_of=collection.pk))
    candidates = Candidate.objects.filter(query__collection__in=collections.values("pk"))
    return Moment.objects.filter(pk__in=candidates.values("moment"))
