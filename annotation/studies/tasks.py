"""Celery tasks of studies."""

from celery import shared_task
from celery.signals import worker_ready
from django.db import connection


@shared_task(name="annotation.tasks.begin_study")
def begin_study(study_id: int) -> str:
    """Make a pilot or a depth study that was asked for. Returns its state."""
    from annotation.studies.services import make_study

    return make_study(study_id=study_id).state


@worker_ready.connect
def take_up_studies(**_: object) -> None:
    """What an earlier worker left behind when it was killed goes on with the next that starts."""
    from annotation.studies.services import unfinished_studies

    for study_id in unfinished_studies():
        begin_study.delay(study_id)
    # This is the parent of the worker's processes: they must not inherit its connection.
    connection.close()
