"""The room's work in the background; each task is safe to repeat."""

from celery import shared_task

from annotation.computed import refresh_computed
from annotation.models import Computed
from annotation.review_policy import Applied, apply_policy
from corpus.models import Collection


@shared_task(ignore_result=True)
def apply_review_policy(collection_id: int) -> dict[str, int]:
    """Decide the clear ones among a collection's waiting batches; in the archive none."""
    collection = Collection.objects.filter(pk=collection_id, archived_at__isnull=True).first()
    applied = apply_policy(collection=collection) if collection is not None else Applied()
    return {"extended": applied.extended, "finished": applied.finished, "left": applied.left}


@shared_task
def refresh(collection_id: int, name: str) -> bool:
    """Make a result anew that is computed ahead. Returns whether it is the newest."""
    asked = Computed.to_do().select_related("collection").filter(collection=collection_id, name=name).first()
    return asked is not None and refresh_computed(collection=asked.collection, name=name)


@shared_task
def begin_study(study_id: int) -> str:
    """Make a pilot or a depth study that was asked for. Returns its state."""
    from annotation.studies import make_study

    return make_study(study_id=study_id).state
