"""Open batches of candidates for judging (rule 4's ranks 1-20, 21-40)."""

from dataclasses import dataclass

from django.db import transaction

from annotation.models import Batch, Pair
from corpus.models import Collection
from queries.models import Candidate, Query


@dataclass(frozen=True, slots=True)
class Opened:
    """What `open_annotation` opened now, and how many queries had their first batch already or have no candidates."""

    batches: int
    pairs: int
    open_before: int
    without_candidates: int


def open_annotation(*, collection: Collection) -> Opened:
    """Open the first batch of every query that has candidates. Repeating it opens only what is new."""
    opened = pairs = without = 0
    pending = collection.queries.filter(batches__isnull=True).order_by("split", "position")
    before = collection.queries.filter(batches__number=1).count()
    for query in pending:
        size = open_batch(query=query, number=1)
        opened += bool(size)
        without += not size
        pairs += size
    return Opened(opened, pairs, before, without)


@transaction.atomic
def open_batch(*, query: Query, number: int) -> int:
    """Open a query's batch and its pairs. Returns how many pairs; 0 if there are no candidates, or it was open."""
    Query.objects.select_for_update(of=("self",), no_key=True).get(pk=query.pk)
    size = query.collection.batch_size
    candidates = list(
        Candidate.objects.filter(query=query, rank__gt=(number - 1) * size, rank__lte=number * size).order_by("rank")
    )
    if not candidates or Batch.objects.filter(query=query, number=number).exists():
        return 0
    batch = Batch.objects.create(collection_id=query.collection_id, query=query, number=number)
    Pair.objects.bulk_create(Pair(batch=batch, candidate=candidate) for candidate in candidates)
    return len(candidates)
