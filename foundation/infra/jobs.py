"""Background jobs: sent to a worker, run by one worker at a time, always ended with a sentence.

A room that has a kind of job derives its table from `foundation.models.Job`, asks with `ask`, and makes its
work a task by `job_task`. What was broken off, or never handed over, is taken up by the sweep (`sweep.py`). Stopping
and resuming is `job_control.py`, the log `job_log.py`, how far a job is `job_progress.py`.
"""

import logging
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from datetime import timedelta
from typing import Any, Self, TypeVar

from celery import shared_task
from django.conf import settings
from django.db import Error, InterfaceError, OperationalError, connection
from django.utils import timezone
from psycopg import sql

from foundation.infra.advisory_lock import alone_at
from foundation.infra.job_log import log_line
from foundation.infra.memory import bounded_memory
from foundation.infra.storage import NO_SPACE
from foundation.infra.task_queue import QueueAway, send
from foundation.infra.upgrade_state import is_held
from foundation.models.jobs import Job, Queued
from foundation.refused import Busy, Refused

TOLD_EVERY = 0.5
"""Seconds between two updates of a job's progress."""
BUSY_SECONDS = 5
"""Delay before a job is tried again that another one's lock blocks."""
MOST_BEGINNINGS = 3
"""A job that was interrupted so often isn't started again: it may be what kills the workers."""
BROKEN_OFF = "It was broken off {} times; it may need more memory or time than a worker has. Nothing is half done."
NO_MEMORY = "It needs more memory than a worker may use. Nothing is half done."
DISK_FULL = "There is no space left on the server's disk. Nothing is half done: ask for it again once there is."
UNREADABLE = "The server can't read or write a file that it needs ({}). Nothing is half done."
UNEXPECTED = (
    "It ended by an error that Qreels doesn't expect ({}). Nothing is half done, and the worker's log says more."
)
DIED = tuple(sentence.partition("{}")[0] for sentence in (BROKEN_OFF, NO_MEMORY, DISK_FULL, UNREADABLE, UNEXPECTED))
"""How the sentence of a job begins that ended by a fault and not by a refusal."""
_DATABASE_FULL = "53100"

Row = TypeVar("Row", bound=Queued)
Work = Callable[[Row, "JobProgress"], float | None]

log = logging.getLogger(__name__)


def ask(row: Queued, *, countdown: float = 0) -> bool:
    """Send a waiting job's row to a worker, after `countdown` seconds.

    Returns: whether the queue took it; otherwise it does once it is back, by the sweep.
    """
    type(row)._default_manager.filter(pk=row.pk).update(begun=0)
    return hand_over(row, countdown=countdown)


def hand_over(row: Queued, *, countdown: float = 0) -> bool:
    """Queue a row's task, and note when it is due. Returns: whether the queue took it."""
    rows = type(row)._default_manager.filter(pk=row.pk)
    due = timezone.now() + timedelta(seconds=countdown)
    rows.update(due_at=due)
    try:
        send(row.TASK, *row.task_arguments, countdown=countdown)
    except QueueAway as fault:
        log.warning("%s %s waits: the task queue can't be reached (%s)", row._meta.label, row.pk, fault.why)
        rows.filter(due_at=due).update(due_at=None)
        return False
    return True


def run_job(
    model: type[Row],
    pk: int,
    work: "Work[Row]",
    *,
    unexpected: str = UNEXPECTED,
) -> bool:
    """Run a job's work under its lock. Safe to repeat, and to run twice at once: only one run does it.

    However the work ends, the row says it: as done, as refused with a sentence (`Refused`), or as stopped by somebody.
    Only where the database fails it stays as it is, and a sweep has it begun again; `Busy` is raised, and the work is
    tried again after `BUSY_SECONDS`. A `Job` has a log of it.

    Args:
        model: the row's.
        pk: of the row.
        work: does it; returns None when all is done, or after how many seconds it wants to go on. It may end the row
            itself, in the transaction that makes the result.
        unexpected: the sentence for all other errors, with {} for what they say; those are raised as well.

    Returns: whether this call worked on it and it went well.
    """
    waiting = model.to_do().filter(pk=pk).first()
    if waiting is None:
        return False
    with alone_at(*waiting.lock, wait=False) as ours:
        row = model.to_do().filter(pk=pk).first() if ours else None
        return row is not None and _run(row, work, unexpected)


def job_task(model: type[Row], *, bounded: bool = False) -> Callable[["Work[Row]"], Callable[[int], bool]]:
    """Decorator that makes a kind of job's work its task, named `model.TASK`: it takes a row's pk (`run_job`).

    One that has to wait for others (`Busy`) is in the queue again.

    Args: bounded: whether it may take no more memory than QREELS_RUN_MEMORY_MB.
    """

    def decorate(work: "Work[Row]") -> Callable[[int], bool]:
        def task(pk: int) -> bool:
            with bounded_memory(settings.RUN_MEMORY_MB) if bounded else nullcontext(), suppress(Busy):
                return run_job(model, pk, work)
            return False

        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(task, name, getattr(work, name))
        run: Callable[[int], bool] = shared_task(name=model.TASK)(task)
        return run

    return decorate


def _run(
    row: Row,
    work: "Work[Row]",
    unexpected: str,
) -> bool:
    if row.begun >= MOST_BEGINNINGS:
        return _refuse(row, BROKEN_OFF.format(row.begun))
    _log_begin(row)
    row.begin()
    try:
        if not type(row).to_do().filter(pk=row.pk).exists():
            raise JobStopped
        with JobProgress(row) as progress:
            pause = work(row, progress)
    except JobHeld:
        _log(row, "Waits while the site is being upgraded, and goes on afterwards.")
        row.wait()
        # It wasn't broken off, and nobody is told of it: the sweep tells a worker once they take jobs again.
        type(row)._default_manager.filter(pk=row.pk).update(begun=row.begun - 1, due_at=None)
        return False
    except JobStopped:
        _log(row, f"Stopped. {row.KEPT}" if isinstance(row, Job) else "Stopped.")
        return False
    except Busy as fault:
        _log(row, f"Waits: {as_sentence(str(fault))}")
        row.wait()
        ask(row, countdown=BUSY_SECONDS)
        raise
    except Refused as refusal:
        problem = as_sentence(str(refusal))
    except MemoryError:
        problem = NO_MEMORY
    except OSError as fault:
        problem = DISK_FULL if fault.errno in NO_SPACE else UNREADABLE.format(fault.strerror or fault)
    except (OperationalError, InterfaceError) as fault:
        if not _is_full(fault):
            raise
        problem = DISK_FULL
    except Exception as fault:
        _refuse(row, unexpected.format(f"{type(fault).__name__}: {fault}"[:500]))
        raise
    else:
        if pause is not None:
            ask(row, countdown=pause)
            return True
        if not row.finished:
            row.end()
        _log(row, row.problem or _in_words(row))
        return True
    log.warning("%s %s: %s", row._meta.label, row.pk, problem)
    return _refuse(row, problem)


def _refuse(row: Queued, problem: str) -> bool:
    row.end(problem)
    _log(row, problem)
    return False


def _log(row: Queued, text: str) -> None:
    if isinstance(row, Job):
        log_line(row, text)


def _log_begin(row: Queued) -> None:
    if row.begun:
        _log(row, f"Begun again after it was broken off, for the {row.begun + 1}. time of at most {MOST_BEGINNINGS}.")
    elif isinstance(row, Job) and row.started_at is None:
        _log(row, "Begun.")


def _in_words(row: Queued) -> str:
    return as_sentence((isinstance(row, Job) and row.said) or "Done")


def _is_full(fault: Error) -> bool:
    return getattr(fault.__cause__, "sqlstate", None) == _DATABASE_FULL


class JobStopped(Exception):
    """Somebody has stopped the job. Raised where its work says how far it is; `run_job` ends it."""


class JobHeld(JobStopped):
    """The site is being upgraded, so the job has to wait. Raised and ended as a stop is."""


class JobProgress:
    """Records a job's progress over a connection of its own, since the job's transaction isn't visible yet.

    Whatever writes to the row also hears whether the job was stopped, and then raises JobStopped.
    """

    def __init__(self, row: Queued) -> None:
        self.done = 0
        self._row, self._told = row, 0.0

    def __enter__(self) -> Self:
        self._connection = connection.copy()
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def count(self, step: int = 0, **more: Any) -> None:
        """Add to what is done; `more` sets other columns. Calls in quick succession are written once.

        Raises: JobStopped.
        """
        self.done += step
        if time.monotonic() - self._told > TOLD_EVERY:
            self._told = time.monotonic()
            self.note(done=self.done, **more)

    def note(self, **columns: Any) -> None:
        """Write these columns of the row now. Raises: JobStopped."""
        if is_held():
            raise JobHeld
        names = sql.SQL("").join(sql.SQL(", {} = %s").format(sql.Identifier(name)) for name in columns)
        state = sql.Identifier("state") if isinstance(self._row, Job) else sql.SQL("NULL")
        update = sql.SQL("UPDATE {} SET touched_at = now(){} WHERE id = %s RETURNING {}").format(
            sql.Identifier(self._row._meta.db_table), names, state
        )
        with self._connection.cursor() as cursor:
            cursor.execute(update, [*columns.values(), self._row.pk])
            state_now = cursor.fetchone()
        # Stopped and resumed since, it is in turn again: the work simply goes on.
        if isinstance(self._row, Job) and state_now is not None and state_now[0] == self._row.STOPPED:
            raise JobStopped

    def stage(self, title: str, total: int | None, unit: str) -> Callable[[int], object]:
        """Begin a stage of the work: a `foundation.infra.progress.Stage`. Raises: JobStopped."""
        self.say(f"{title}.")
        self.done = 0
        self.note(step=title, done=0, total=total or 0)
        return self.count

    def say(self, text: str) -> None:
        """Write a line to the job's log. Raises: JobStopped."""
        if isinstance(self._row, Job):
            log_line(self._row, text, using=self._connection)
        self.note()


def as_sentence(reason: str) -> str:
    """A reason as a sentence: capital letter and full stop, unless it already ends like one.

    >>> as_sentence("no query is drawn yet")
    'No query is drawn yet.'
    """
    return reason if reason.endswith((".", "?", "!")) else f"{reason[:1].upper()}{reason[1:]}."
