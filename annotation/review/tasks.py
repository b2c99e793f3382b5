"""Celery tasks of the review."""

from celery import shared_task

from annotation.review.automatic_review import Applied, apply_policy
from corpus.models import Collection


@shared_task(name="annotation.tasks.apply_review_policy", ignore_result=True)
def apply_review_policy(collection_id: int) -> dict[str, int]:
    """Apply the batch review policy to a collection's waiting batches; to none of an archived one."""
    collection = Collection.objects.filter(pk=collection_id, archived_at__isnull=True).first()
    applied = apply_policy(collection=collection) if collection is not None else Applied()
    return {"extended": applied.extended, "finished": applied.finished, "left": applied.left}
