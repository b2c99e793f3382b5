"""The room's work in the background; each task is safe to repeat."""

from celery import shared_task
from celery.signals import worker_ready
from django.db import connection

from annotation.computed import refresh_computed
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
    collection = Collection.objects.filter(pk=collection_id).first()
    return collection is not None and refresh_computed(collection=collection, name=name)


@shared_task
def begin_study(study_id: int) -> str:
    """Make a pilot or a depth study that was asked for. Returns its state."""
    from annotation.studies import make_study

    return make_study(study_id=study_id).state


@worker_ready.connect
def take_up_studies(**_: object) -> None:
    """What an earlier worker left behind when it was killed goes on with the next that starts."""
    from annotation.studies import unfinished_studies

    for study_id in unfinished_studies():
        begin_study.delay(study_id)
    # This is the parent of the worker's processes: they must not inherit its connection.
    connection.close()
