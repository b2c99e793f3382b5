"""Counts of a split's queries, pairs and judgments, by outcome."""

from typing import Any

from django.db.models import Count, QuerySet

from annotation.models import Batch, Judgment, Pair
from annotation.scale import scale_of
from datasets.content.splits import DECIDED, Splits, graded_pairs
from foundation.models import Collection

UNDECIDED = (Pair.Status.OPEN, Pair.Status.DISPUTED)


def undecided_pairs(collection: Collection) -> int:
    """Opened pairs that aren't decided yet, which a release made now leaves out."""
    return Pair.objects.filter(batch__collection=collection, status__in=UNDECIDED).count()


def split_counts(splits: Splits, split: str) -> dict[str, Any]:
    """How many queries, pairs and judgments of a split are in which state."""
    collection = splits.collection
    pairs = Pair.objects.filter(batch__query__collection=collection, batch__query__split=split)
    by_status = _count(pairs, "status")
    graded_in_all = graded_pairs(collection, split, adjudicated=splits.adjudicated)
    grades = _count(graded_in_all, "final_grade")
    counted = Judgment.objects.filter(pair__in=pairs.filter(status__in=DECIDED), counted=True)
    late = counted.filter(pair__status=Pair.Status.CONSENSUS, round=2).aggregate(pairs=Count("pair", distinct=True))[
        "pairs"
    ]
    graded = by_status.get(Pair.Status.CONSENSUS, 0)
    batches = Batch.objects.filter(query__collection=collection, query__split=split)
    drawn = collection.queries.filter(split=split).count()
    queries = graded_in_all.aggregate(queries=Count("batch__query", distinct=True))["queries"]
    return {
        "queries_drawn": drawn,
        "queries": queries,
        "queries_without_grade": drawn - queries,
        "queries_finished": batches.filter(status=Batch.Status.FINISHED).count(),
        "queries_extended": batches.filter(number=2).count(),
        "pairs": sum(grades.values()),
        "pairs_by_grade": {str(grade): grades.get(grade, 0) for grade in scale_of(collection).grades},
        "pairs_graded_in_round_one": graded - late,
        "pairs_graded_in_round_two": late,
        "pairs_discarded": by_status.get(Pair.Status.DISCARDED, 0),
        "pairs_withdrawn": by_status.get(Pair.Status.WITHDRAWN, 0),
        "pairs_undecided": sum(by_status.get(status, 0) for status in UNDECIDED),
        "judgments": counted.count(),
    }


def _count(pairs: QuerySet[Pair], field: str) -> dict[Any, int]:
    return dict(pairs.order_by().values_list(field).annotate(Count("pk")))
