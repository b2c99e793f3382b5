"""Opening batches for judging, and the lead's decision on those that are decided (rule 7)."""

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from annotation.models import Batch, Pair, Review
from annotation.review_rule import Recommendation, recommend
from annotation.states import is_last
from corpus.models import Collection, Membership
from queries.models import Candidate, Query


class ReviewRefused(Exception):
    """The batch isn't to be decided (any more); the message says why, nothing was changed."""


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
    Query.objects.select_for_update(of=("self",)).get(pk=query.pk)
    size = query.collection.batch_size
    candidates = list(
        Candidate.objects.filter(query=query, rank__gt=(number - 1) * size, rank__lte=number * size).order_by("rank")
    )
    if not candidates or Batch.objects.filter(query=query, number=number).exists():
        return 0
    batch = Batch.objects.create(collection_id=query.collection_id, query=query, number=number)
    Pair.objects.bulk_create(Pair(batch=batch, candidate=candidate) for candidate in candidates)
    return len(candidates)


def recommendation(batch: Batch) -> Recommendation:
    """The rule's verdict on a batch's grades as they stand."""
    graded = batch.pairs.order_by("candidate__rank").values_list("candidate__rank", "grade")
    return recommend(list(graded), threshold=batch.query.collection.extend_threshold)


@transaction.atomic
def review_batch(*, member: Membership, batch_id: int, decision: str) -> Review:
    """Extend or finish a decided batch, and keep who decided on which figures. The same decision again is no error.

    Raises: ReviewRefused if the batch isn't decided yet, or was decided the other way.
    """
    batch = (
        Batch.objects.select_for_update(of=("self",))
        .select_related("query__collection")
        .filter(pk=batch_id, query__collection=member.collection_id)
        .first()
    )
    if batch is None:
        raise ReviewRefused("There is no such batch in this collection.")
    standing = Review.objects.filter(batch=batch).first()
    if standing is not None:
        if standing.decision == decision:
            return standing
        raise ReviewRefused(f"This batch was reviewed already: {standing.get_decision_display()}.")
    if batch.status != Batch.Status.DECIDED:
        raise ReviewRefused(f"This batch can't be reviewed: it is {batch.get_status_display()}.")
    if decision not in Review.Decision.values:
        raise ReviewRefused(f"found the decision {decision!r}, expected extend or finish")
    figures = recommendation(batch)
    if decision == Review.Decision.EXTEND:
        if is_last(batch):
            raise ReviewRefused("There are no more candidates to judge: finish it.")
        open_batch(query=batch.query, number=batch.number + 1)
        batch.status = Batch.Status.EXTENDED
    else:
        batch.status = Batch.Status.FINISHED
    batch.save(update_fields=["status"])
    return Review.objects.create(
        batch=batch, decision=decision, decided_by=member, mean=figures.mean, threshold=figures.threshold
    )


def postpone_review(*, member: Membership, batch_id: int) -> None:
    """Put a decided batch at the end of the lead's queue."""
    Batch.objects.filter(pk=batch_id, query__collection=member.collection_id, status=Batch.Status.DECIDED).update(
        postponed_at=timezone.now()
    )
