"""Celery tasks that publish releases."""

from celery import shared_task

from datasets.publishing.jobs import work_on_publication


@shared_task(name="datasets.tasks.publish_release", time_limit=24 * 60 * 60)
def publish_release(publication_id: int) -> None:
    """Plan a publication or send it, which may take hours."""
    work_on_publication(publication_id=publication_id)
