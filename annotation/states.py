"""What follows for a pair from its judgments, and for a batch from its pairs; the table is `states.md`."""

from django.db.models import F
from django.utils import timezone

from annotation.consensus import Rule, state_of
from annotation.models import Batch, Pair
from corpus.models import Collection


def rule_of(collection: Collection) -> Rule:
    """The numbers of the consensus rule that a collection goes by."""
    return Rule(
        top_grade=collection.top_grade,
        first_round=collection.first_round_people,
        second_round=collection.second_round_people,
        largest_difference=collection.largest_difference,
        rounding=collection.rounding,  # type: ignore[arg-type]
    )


def settle_pair(pair: Pair, rule: Rule) -> None:
    """Make a pair's state follow from its counted judgments, and its batch's from its pairs. Its batch is locked."""
    if pair.status == Pair.Status.WITHDRAWN:
        return
    grades = list(pair.judgments.filter(counted=True).order_by("pk").values_list("grade", flat=True))
    status, grade = state_of(grades, rule)
    changed = (status, grade) != (pair.status, pair.grade)
    # Also when only its judgments changed: whoever has read them to add another must look again.
    Pair.objects.filter(pk=pair.pk).update(status=status, grade=grade, version=F("version") + 1)
    if changed:
        settle_batch(pair.batch_id)


def settle_batch(batch_id: int) -> Batch:
    """Make a batch's status follow from its pairs. A batch after which none may come is finished when decided."""
    batch = Batch.objects.select_for_update(of=("self",)).select_related("query__collection").get(pk=batch_id)
    statuses = set(batch.pairs.values_list("status", flat=True))
    if Pair.Status.OPEN in statuses:
        status = Batch.Status.FIRST_ROUND
    elif Pair.Status.DISPUTED in statuses:
        status = Batch.Status.SECOND_ROUND
    elif batch.query.batches.filter(number__gt=batch.number).exists():
        # Imported judgments went on to the next batch, and no review says so.
        status = Batch.Status.EXTENDED
    elif is_last(batch):
        status = Batch.Status.FINISHED
    else:
        status = Batch.Status.DECIDED
    if status != batch.status:
        batch.status = status
        batch.save(update_fields=["status"])
        # What the seats there were taken for is over; nobody has to come back for them to be free.
        batch.seats.filter(ended_at__isnull=True).update(ended_at=timezone.now())
    return batch


def is_last(batch: Batch) -> bool:
    """Whether no batch can follow: the collection's number is reached, or the query has no more candidates."""
    collection = batch.query.collection
    if batch.number >= collection.max_batches:
        return True
    return not batch.query.candidates.filter(rank__gt=batch.number * collection.batch_size).exists()
