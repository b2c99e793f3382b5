"""The sweep: queue the jobs that wait in the database and that no worker knows of.

Every worker sweeps when it has reached the broker, and every few seconds (`config/periodic.py`). So whatever was asked
for while the broker was away, was lost with it, or was broken off by a worker's end, begins without anybody's doing.
"""

import logging
from collections.abc import Callable
from datetime import timedelta

from django.apps import apps
from django.db.models import F, Q
from django.utils import timezone

from foundation.infra.advisory_lock import somebody_is_at
from foundation.infra.cool_down import CoolDown
from foundation.infra.jobs import hand_over
from foundation.infra.scratch import clear_scratch
from foundation.infra.task_queue import QueueAway, waiting_messages
from foundation.models.jobs import Queued

GRACE = timedelta(seconds=10)
"""For so long after it was due, a message may still be on its way to a worker."""
FOR_LOST = timedelta(hours=1)
"""A message that no worker has taken for so long is sent again, however long the queue is."""
AT_ONCE = 200
"""Rows of a table that one sweep looks at."""

Look = Callable[[], object]
_looks: dict[Look, CoolDown] = {}
log = logging.getLogger(__name__)


def register(look: Look) -> None:
    """Called when Django starts, for the list of periodic work (`config/periodic.py`): `look()` sends, or quickly does,
    waiting work that is no row of a `Queued` table. It is called only while no message waits, so that nothing is sent
    twice, and less often where it takes long."""
    _looks.setdefault(look, CoolDown())


def sweep() -> int:
    """Send waiting rows to workers, and remove leftovers. Returns how many rows were sent."""
    clear_scratch()
    try:
        queue_is_empty = not waiting_messages()
        handed = sum(_hand_over_rows(model, queue_is_empty) for model in _tables())
        if queue_is_empty and not handed:
            for look, rest in _looks.items():
                if rest.is_over():
                    with rest.after():
                        look()
    except QueueAway as fault:
        log.info("Nothing is swept: the task queue can't be reached (%s)", fault.why)
        return 0
    return handed


def _tables() -> list[type[Queued]]:
    return [model for model in apps.get_models() if issubclass(model, Queued)]


def _hand_over_rows(model: type[Queued], queue_is_empty: bool) -> int:
    """Send the rows that no worker knows of: never sent, left by a worker that is gone, or with a lost message."""
    now = timezone.now()
    never = Q(due_at=None)
    broken_off = Q(due_at__lt=now, touched_at__gte=F("due_at"))
    # Nothing pauses for so long: a clock that was wrong said so.
    lost = Q(due_at__lt=now - (GRACE if queue_is_empty else FOR_LOST)) | Q(due_at__gt=now + FOR_LOST)
    handed = 0
    for row in model.to_do().filter(never | broken_off | lost).order_by("pk")[:AT_ONCE]:
        if somebody_is_at(*row.lock):
            continue
        # Of several workers that sweep at once, one sends it.
        mine = model._default_manager.filter(pk=row.pk, due_at=row.due_at).update(due_at=now)
        if mine and not hand_over(row):
            break
        handed += mine
    return handed
