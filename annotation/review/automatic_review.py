"""Automatic review of clear batches, by two settings that are off by default or by a recipe that extends on its own.

The states of a batch: `batches/states.md`.
"""

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotation.batches.pools import goes_on
from annotation.models import Batch, Flag, FormerReview, Judgment, Review
from annotation.review.decisions import decide_held_batch
from annotation.review.extend_rule import decide_alone
from annotation.review.selectors import means_beyond, waiting_figures
from foundation.infra.task_queue import send
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Candidate, PoolPlan, QueryPool
from queries.pooling.run_plans import PAPER

GRACE = timedelta(minutes=2)
"""After a batch's last judgment, in which its annotator can still take it back."""


@dataclass(frozen=True, slots=True)
class Applied:
    """How many batches the policy decided, and how many it leaves to the lead."""

    extended: int = 0
    finished: int = 0
    left: int = 0


def has_policy(collection: Collection) -> bool:
    """Whether the collection's settings, or its recipe, allow any decision without a lead. At most one SQL query."""
    return _has_thresholds(collection) or goes_on(collection)


def _has_thresholds(collection: Collection) -> bool:
    return collection.auto_extend_from is not None or collection.auto_finish_to is not None


def apply_policy(*, collection: Collection, grace: timedelta = GRACE) -> Applied:
    """Decide every waiting batch that is clear by the policy, each in a transaction of its own.

    Left to the lead: what has an open flag or a review that was taken back; for now, what was judged within `grace`.
    Three SQL queries, whatever is left; more for each batch that is decided.
    """
    collection.refresh_from_db(fields=["auto_extend_from", "auto_finish_to"])
    if not has_policy(collection):
        return Applied()
    clear = _clear_waiting(collection, goes_on(collection))
    # One query for all, since hundreds may be left at every run. Each is checked again under its lock.
    undisturbed = set(_undisturbed(list(clear), grace).values_list("pk", flat=True)) if clear else set()
    waiting = Batch.objects.filter(collection=collection, status=Batch.Status.DECIDED).count()
    tally = {"extend": 0, "finish": 0, None: max(0, waiting - len(undisturbed))}
    for batch_id in sorted(undisturbed):
        tally[_decide(collection, batch_id, grace)] += 1
    return Applied(tally["extend"], tally["finish"], tally[None])


def clear_batches(*, collection: Collection, grace: timedelta = GRACE) -> dict[str, int]:
    """How many of the waiting batches `apply_policy` would decide now: {"extend", "finish"}. Two SQL queries."""
    if not has_policy(collection):
        return {"extend": 0, "finish": 0}
    by_recipe = goes_on(collection)
    clear = _clear_waiting(collection, by_recipe)
    if not clear:
        return {"extend": 0, "finish": 0}
    more = Candidate.objects.filter(query=OuterRef("query"), rank__gt=OuterRef("number") * collection.batch_size)
    left = QueryPool.objects.filter(query=OuterRef("query"), left__gt=0)
    batches = (
        _undisturbed(list(clear), grace)
        .annotate(may_extend=Exists(more) | Exists(left))
        .values_list("pk", "number", "may_extend")
    )
    tally = {"extend": 0, "finish": 0}
    for pk, number, may_extend in batches:
        decision = clear[pk]
        may_extend = may_extend and number < collection.max_batches
        if by_recipe and not may_extend:
            decision = "finish"
        tally[decision] += decision == "finish" or may_extend
    return tally


def _clear_waiting(collection: Collection, by_recipe: bool) -> dict[int, str]:
    """Waiting batches (ids) with the policy's decision. What it leaves to the lead isn't read."""
    if by_recipe:
        waiting = Batch.objects.filter(collection=collection, status=Batch.Status.DECIDED)
        return dict.fromkeys(waiting.values_list("pk", flat=True), str(Review.Decision.EXTEND))
    beyond = means_beyond(collection, low=collection.auto_finish_to, high=collection.auto_extend_from)
    decided = {pk: _clear(collection, mean, by_recipe=False) for pk, mean in beyond.items()}
    return {pk: decision for pk, decision in decided.items() if decision is not None}


def _undisturbed(batches: list[int], grace: timedelta) -> QuerySet[Batch]:
    """Batches without any review, even a taken-back one, without open flags, and not judged within `grace`."""
    review, pair = {"batch": OuterRef("pk")}, {"pair__batch": OuterRef("pk")}
    return Batch.objects.filter(
        ~Exists(Review.objects.filter(**review)),
        ~Exists(FormerReview.objects.filter(**review)),
        ~Exists(Flag.objects.filter(**pair, answered_at__isnull=True)),
        ~Exists(Judgment.objects.filter(**pair, given_at__gt=Now() - grace)),
        pk__in=batches,
    )


def ask_policies(grace: timedelta = GRACE) -> None:
    """Have a worker decide clear batches whose task was never sent or was lost with the queue: for the sweep.

    Raises: QueueAway.
    """
    by_recipe = PoolPlan.objects.filter(collection=OuterRef("pk"), current=True, by_itself=True).exclude(recipe=PAPER)
    some = Q(auto_extend_from__isnull=False) | Q(auto_finish_to__isnull=False) | Exists(by_recipe)
    for collection in Collection.objects.filter(some, archived_at=None):
        if any(clear_batches(collection=collection, grace=grace).values()):
            send("annotation.tasks.apply_review_policy", collection.pk)


def _clear(collection: Collection, mean: float | None, by_recipe: bool) -> str | None:
    """The decision; where the recipe goes on by itself it is asked what comes next, whatever the mean is."""
    if by_recipe:
        return Review.Decision.EXTEND
    return decide_alone(mean, extend_from=collection.auto_extend_from, finish_to=collection.auto_finish_to)


@transaction.atomic
def _decide(collection: Collection, batch_id: int, grace: timedelta) -> str | None:
    """Decide one batch under its lock; None if it is left to the lead."""
    batch = (
        Batch.objects.select_for_update(of=("self",), skip_locked=True, no_key=True)
        .select_related("query__collection")
        .filter(pk=batch_id, status=Batch.Status.DECIDED)
        .first()
    )
    # Looked at once the lock is there: what happened before it is seen.
    if batch is None or not _undisturbed([batch.pk], grace).exists():
        return None
    by_recipe = goes_on(collection)
    decision = _clear(collection, waiting_figures(collection, [batch.pk])[batch.pk].mean, by_recipe)
    if decision is None:
        return None
    threshold = collection.auto_extend_from if decision == Review.Decision.EXTEND else collection.auto_finish_to
    if by_recipe:
        threshold = collection.extend_threshold
    assert threshold is not None
    try:
        decide_held_batch(batch=batch, decision=decision, decided_by=None, threshold=threshold)
    except Refused:
        if not by_recipe:
            return None
        decision = Review.Decision.FINISH
        decide_held_batch(batch=batch, decision=decision, decided_by=None, threshold=threshold)
    return decision
