"""Automatic review of clear batches: two settings, off by default (`batches/states.md`)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from annotation.models import Batch, Flag, FormerReview, Judgment, Review
from annotation.review.decisions import ReviewRefused, decide_held_batch
from annotation.review.extend_rule import decide_alone
from annotation.review.selectors import waiting_figures
from corpus.infra.task_queue import send
from corpus.models import Collection
from queries.models import Candidate

GRACE = timedelta(minutes=2)
"""After a batch's last judgment, in which its annotator can still take it back."""


@dataclass(frozen=True, slots=True)
class Applied:
    """How many batches the policy decided, and how many it leaves to the lead."""

    extended: int = 0
    finished: int = 0
    left: int = 0


def has_policy(collection: Collection) -> bool:
    """Whether the collection's settings allow any decision without a lead."""
    return collection.auto_extend_from is not None or collection.auto_finish_to is not None


def apply_policy(*, collection: Collection, grace: timedelta = GRACE) -> Applied:
    """Decide every waiting batch that is clear by the policy, each in a transaction of its own.

    Left to the lead: what has an open flag or a review that was taken back; for now, what was judged within `grace`.
    """
    collection.refresh_from_db(fields=["auto_extend_from", "auto_finish_to"])
    if not has_policy(collection):
        return Applied()
    until = timezone.now() - grace
    tally = {"extend": 0, "finish": 0, None: 0}
    for batch_id, verdict in waiting_figures(collection).items():
        clear = _clear(collection, verdict.mean)
        tally[_decide(collection, batch_id, until) if clear else None] += 1
    return Applied(tally["extend"], tally["finish"], tally[None])


def clear_batches(*, collection: Collection, grace: timedelta = GRACE) -> dict[str, int]:
    """How many of the waiting batches `apply_policy` would decide now: {"extend", "finish"}. Two SQL queries."""
    if not has_policy(collection):
        return {"extend": 0, "finish": 0}
    verdicts = {pk: _clear(collection, verdict.mean) for pk, verdict in waiting_figures(collection).items()}
    clear = [pk for pk, decision in verdicts.items() if decision is not None]
    if not clear:
        return {"extend": 0, "finish": 0}
    more = Candidate.objects.filter(query=OuterRef("query"), rank__gt=OuterRef("number") * collection.batch_size)
    found = (
        _undisturbed(clear, timezone.now() - grace)
        .annotate(may_extend=Exists(more))
        .values_list("pk", "number", "may_extend")
    )
    tally = {"extend": 0, "finish": 0}
    for pk, number, may_extend in found:
        decision = str(verdicts[pk])
        tally[decision] += decision == "finish" or (may_extend and number < collection.max_batches)
    return tally


def _undisturbed(batches: list[int], until: datetime) -> QuerySet[Batch]:
    """Batches without any review, even a taken-back one, without open flags, and not judged after `until`."""
    review, pair = {"batch": OuterRef("pk")}, {"pair__batch": OuterRef("pk")}
    return Batch.objects.filter(
        ~Exists(Review.objects.filter(**review)),
        ~Exists(FormerReview.objects.filter(**review)),
        ~Exists(Flag.objects.filter(**pair, answered_at__isnull=True)),
        ~Exists(Judgment.objects.filter(**pair, given_at__gt=until)),
        pk__in=batches,
    )


def ask_policies(grace: timedelta = GRACE) -> None:
    """Have a worker decide clear batches whose task was never sent or was lost with the queue: for the sweep.

    Raises: QueueAway.
    """
    for collection in Collection.objects.filter(archived_at=None).exclude(auto_extend_from=None, auto_finish_to=None):
        if any(clear_batches(collection=collection, grace=grace).values()):
            send("annotation.tasks.apply_review_policy", collection.pk)


def _clear(collection: Collection, mean: float | None) -> str | None:
    return decide_alone(mean, extend_from=collection.auto_extend_from, finish_to=collection.auto_finish_to)


@transaction.atomic
def _decide(collection: Collection, batch_id: int, until: datetime) -> str | None:
    """Decide one batch under its lock; None if it is left to the lead."""
    batch = (
        Batch.objects.select_for_update(of=("self",), skip_locked=True, no_key=True)
        .select_related("query__collection")
        .filter(pk=batch_id, status=Batch.Status.DECIDED)
        .first()
    )
    # Looked at once the lock is there: what happened before it is seen.
    if batch is None or not _undisturbed([batch.pk], until).exists():
        return None
    decision = _clear(collection, waiting_figures(collection, [batch.pk])[batch.pk].mean)
    if decision is None:
        return None
    threshold = collection.auto_extend_from if decision == Review.Decision.EXTEND else collection.auto_finish_to
    assert threshold is not None
    try:
        decide_held_batch(batch=batch, decision=decision, decided_by=None, threshold=threshold)
    except ReviewRefused:
        return None
    return decision
