"""Celery tasks of the review."""

import time

from celery import shared_task

from annotation.review.automatic_review import Applied, apply_policy
from foundation.infra.cool_down import CoolDown
from foundation.models import Collection

_applied: dict[int, float] = {}
"""When this process last began to apply a collection's policy, by its key; in Unix seconds."""
_rests: dict[int, CoolDown] = {}
"""By the collection's key."""


@shared_task(name="annotation.tasks.apply_review_policy", ignore_result=True)
def apply_review_policy(collection_id: int, due: float | None = None) -> dict[str, int]:
    """Apply the batch review policy to a collection's waiting batches; to none of an archived one.

    Each decided batch sends this task. Where tasks come late, the first decides for all: those that were `due` before
    it began do nothing. After a run that took long, as with very many batches left to the lead, tasks are dropped for a
    while: the sweep finds what they would have decided.

    Args: due: Unix seconds from which the batch that sent it may be decided; None: now.
    """
    now = time.time()
    rest = _rests.setdefault(collection_id, CoolDown())
    if due is not None and (due <= _applied.get(collection_id, 0.0) or not rest.is_over()):
        return {"extended": 0, "finished": 0, "left": 0}
    collection = Collection.objects.filter(pk=collection_id, archived_at__isnull=True).first()
    with rest.after():
        applied = apply_policy(collection=collection) if collection is not None else Applied()
    _applied[collection_id] = now
    return {"extended": applied.extended, "finished": applied.finished, "left": applied.left}
