"""What would go now by the site's settings, and letting it go: hourly by a worker, or by `manage.py forget`."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from foundation.access.arrival_time import database_now
from foundation.infra.advisory_lock import alone_at
from operation.retention.classes import KEPT

LOCK = ("operation.forget", 0)
log = logging.getLogger("qreels.retention")


@dataclass(frozen=True, slots=True)
class Due:
    """A class: for how many days it is kept (None: for good), and how many rows would go now."""

    name: str
    what: str
    since: str
    days: int | None
    rows: int


def _now() -> datetime:
    """The earlier of the worker's clock and the database's: what goes by a wrong one is gone for good."""
    return min(timezone.now(), database_now())


def due_now() -> list[Due]:
    """Every class. Only what isn't kept for good is counted."""
    now = _now()
    due = []
    for kept in KEPT.values():
        days = settings.KEEP_DAYS.get(kept.name)
        rows = 0 if days is None else kept.count(now - timedelta(days=days))
        due.append(Due(kept.name, str(kept.what), str(kept.since), days, rows))
    return due


def forget_now() -> Iterator[tuple[str, int]]:
    """Let everything go that is due; nothing while another process does. Yields each class with how many rows went."""
    now = _now()
    with alone_at(*LOCK, wait=False) as ours:
        for kept in KEPT.values() if ours else ():
            days = settings.KEEP_DAYS.get(kept.name)
            if days is None:
                continue
            gone = kept.forget(now - timedelta(days=days))
            if gone:
                log.warning("Forgotten after %d days: %d rows of %s", days, gone, kept.name)
            yield kept.name, gone


@shared_task(name="operation.tasks.forget")
def forget() -> dict[str, int]:
    """The same as a task. Safe to repeat."""
    return dict(forget_now())
