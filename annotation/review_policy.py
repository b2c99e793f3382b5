"""Clear reviews that a collection's policy decides alone: two settings, off by default (`states.md`)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.batches import ReviewRefused, decide_held_batch
from annotation.models import Batch, Flag, FormerReview, Judgment, Review
from annotation.review_rule import decide_alone
from annotation.review_selectors import waiting_figures
from corpus.models import Collection

GRACE = timedelta(minutes=2)
"""After a batch's last judgment, in which its annotator can still take it back."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What the policy decided now, and how many batches it leaves to the lead."""

    extended: int = 0
    finished: int = 0
    left: int = 0


def has_policy(collection: Collection) -> bool:
    """Whether the collection's settings let anything be decided without a lead."""
    return collection.auto_extend_from is not None or collection.auto_finish_to is not None


def apply_policy(*, collection: Collection, grace: timedelta = GRACE) -> Applied:
    """Decide every batch that waits and is clear by the policy. Each is decided in a transaction of its own.

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


def _clear(collection: Collection, mean: float | None) -> str | None:
    return decide_alone(mean, extend_from=collection.auto_extend_from, finish_to=collection.auto_finish_to)


@transaction.atomic
def _decide(collection: Collection, batch_id: int, until: datetime) -> str | None:
    """Decide one batch by its figures under its lock; None if it is the lead's (by now)."""
    batch = (
        Batch.objects.select_for_update(of=("self",), skip_locked=True)
        .select_related("query__collection")
        .filter(pk=batch_id, status=Batch.Status.DECIDED)
        .first()
    )
    if batch is None or Review.objects.filter(batch=batch).exists():
        return None
    if FormerReview.objects.filter(batch=batch).exists():
        return None
    if Flag.objects.filter(pair__batch=batch, answered_at__isnull=True).exists():
        return None
    last = Judgment.objects.filter(pair__batch=batch).aggregate(last=Max("given_at"))["last"]
    if last is not None and last > until:
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
