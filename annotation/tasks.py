"""Celery's way to this room's services."""

from celery import shared_task

from annotation.computed import refresh_computed
from corpus.models import Collection


@shared_task
def refresh(collection_id: int, name: str) -> bool:
    """Make a result anew that is computed ahead. Returns whether it is the newest."""
    collection = Collection.objects.filter(pk=collection_id).first()
    return collection is not None and refresh_computed(collection=collection, name=name)
