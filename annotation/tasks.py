"""Celery's way to this room's services."""

from celery import shared_task

from annotation.review_policy import apply_policy
from corpus.models import Collection


@shared_task(ignore_result=True)
def apply_review_policy(collection_id: int) -> dict[str, int]:
    """Decide the clear ones among a collection's waiting batches; safe to repeat."""
    applied = apply_policy(collection=Collection.objects.get(pk=collection_id))
    return {"extended": applied.extended, "finished": applied.finished, "left": applied.left}
