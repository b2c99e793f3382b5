"""The Celery worker's own steps: the sweep for queued jobs with a sign of life, and bounded memory of its processes."""

import logging
import resource
from typing import Any

from celery import Celery, bootsteps
from celery.signals import worker_process_init
from django.conf import settings

SWEEP_SECONDS = 5.0
WATCH_EVERY = 12
"""Sweeps from one look for faults to the next: a minute."""
HOURLY_EVERY = 720
HOURLY = ("desk.tasks.tell_leads", "annotation.tasks.note_alerts", "operation.tasks.forget")
"""Tasks that are sent once an hour, and soon after a start."""

log = logging.getLogger(__name__)


class Sweeper(bootsteps.StartStopStep):
    """Runs the sweep when the worker connects to the broker, and every few seconds from then on."""

    requires = ("celery.worker.consumer:Tasks",)

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self._entry: Any = None
        self._node, self._processes, self._sweeps = "", 1, 0

    def start(self, consumer: Any) -> None:
        self._node = str(consumer.hostname)
        self._processes = int(getattr(consumer.pool, "num_processes", 1) or 1)
        self._sweep()
        self._entry = consumer.timer.call_repeatedly(SWEEP_SECONDS, self._sweep)

    def stop(self, consumer: Any) -> None:
        if self._entry is not None:
            self._entry.cancel()
            self._entry = None

    def _sweep(self) -> None:
        from django.db import connection

        from foundation.infra.sweep import sweep
        from foundation.infra.task_queue import send
        from foundation.infra.upgrade_state import is_held
        from foundation.mail.letters import gather
        from operation.alerts.watch import watch
        from operation.health.heartbeat import beat

        if is_held():
            return  # the tables may be others at any moment
        try:
            beat(node=self._node, processes=self._processes)
            sweep()
            self._sweeps += 1
            # Not with the first: a worker that has just started is about to do what would be missed.
            if self._sweeps % WATCH_EVERY == 2:
                watch()
                gather()
            if self._sweeps % HOURLY_EVERY == 3:
                for task in HOURLY:
                    send(task, expires=HOURLY_EVERY * SWEEP_SECONDS)
        except Exception:
            # The worker goes on: it may be that the database is away for a moment.
            log.exception("The sweep failed; it is tried again in %d s", SWEEP_SECONDS)
        finally:
            # This is the parent of the worker's processes: they must not inherit its connection.
            connection.close()


@worker_process_init.connect
def bound_memory(**_: object) -> None:
    """Limit a worker process's memory: a job that needs more fails with that reason, others go on."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = settings.WORKER_MEMORY_MB << 20
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def add_to(app: Celery) -> None:
    """Add these steps to the app's workers."""
    app.steps["consumer"].add(Sweeper)
