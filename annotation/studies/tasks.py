"""Celery tasks of studies."""

from celery import shared_task


@shared_task(name="annotation.tasks.begin_study")
def begin_study(study_id: int) -> str:
    """Create a requested pilot or depth study. Returns its state."""
    from annotation.studies.services import make_study

    return make_study(study_id=study_id).state
