"""The Celery worker's own steps: periodic work (`config/periodic.py`), and bounded memory of its processes."""

import logging
import resource
from typing import Any

from celery import bootsteps
from celery.signals import worker_process_init
from django.conf import settings

from config.periodic import BEAT, PERIODIC, SWEEP, SWEEP_SECONDS

RARER = [periodic for periodic in PERIODIC if periodic.every > SWEEP_SECONDS]
log = logging.getLogger(__name__)


class Clock(bootsteps.StartStopStep):
    """Does periodic work when the worker connects to the broker, and when it is due from then on."""

    requires = ("celery.worker.consumer:Tasks",)

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self._entry: Any = None
        self._node, self._processes, self._ticks = "", 1, 0

    def start(self, consumer: Any) -> None:
        self._node = str(consumer.hostname)
        self._processes = int(getattr(consumer.pool, "num_processes", 1) or 1)
        self._tick()
        self._entry = consumer.timer.call_repeatedly(SWEEP_SECONDS, self._tick)

    def stop(self, consumer: Any) -> None:
        if self._entry is not None:
            self._entry.cancel()
            self._entry = None

    def _tick(self) -> None:
        from django.db import connection

        from foundation.infra.upgrade_state import is_held

        if is_held():
            return  # the tables may be others at any moment
        try:
            BEAT.run(node=self._node, processes=self._processes)
            SWEEP.run()
            self._ticks += 1
            for periodic in RARER:
                # Not at the first tick: what a new worker is about to do would be reported as missing.
                if self._ticks % (periodic.every // SWEEP_SECONDS) == (3 if periodic.where == "task" else 2):
                    periodic.run()
        except Exception:
            # The worker goes on: it may be that the database is away for a moment.
            log.exception("Periodic work failed; it is tried again in %d s", SWEEP_SECONDS)
        finally:
            # This is the parent of the worker's processes: they must not inherit its connection.
            connection.close()


@worker_process_init.connect
def bound_memory(**_: object) -> None:
    """Limit a worker process's memory: a job that needs more fails with that reason, others go on."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = settings.WORKER_MEMORY_MB << 20
    limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
