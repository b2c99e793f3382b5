"""Signs of life of workers: each writes one every few seconds, with its sweep (`config/periodic.py`)."""

from datetime import datetime, timedelta

import psutil
from django.db.models import QuerySet
from django.utils import timezone

from foundation.version import this_version
from operation.models import WorkerHeartbeat

LATE = timedelta(seconds=20)
"""A worker that was last seen longer ago counts as gone; it says so every five seconds."""
FORGOTTEN = timedelta(days=1)


def signs_of_life() -> QuerySet[WorkerHeartbeat]:
    """The workers that were heard of just now."""
    return WorkerHeartbeat.objects.filter(seen_at__gte=timezone.now() - LATE)


def beat(*, node: str, processes: int) -> None:
    """Note that this process's worker lives; forgets those that ended a day ago."""
    now = timezone.now()
    started = datetime.fromtimestamp(psutil.Process().create_time(), tz=now.tzinfo)
    WorkerHeartbeat.objects.update_or_create(
        node=node,
        defaults={
            "started_at": started,
            "seen_at": now,
            "processes": processes,
            "version": this_version().version,
        },
    )
    WorkerHeartbeat.objects.filter(seen_at__lt=now - FORGOTTEN).delete()
