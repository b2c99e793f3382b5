"""Run work in pieces on Celery workers, or here if none answers; within a task, here and on the others together."""

import logging
import secrets
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from typing import Any

from celery import Task, current_app, current_task, shared_task, states
from django.db import connection

from foundation.infra.advisory_lock import alone_at
from foundation.infra.task_queue import QueueAway, broker, open_queue, told_of_faults
from foundation.infra.upgrade_state import is_held

POLL_SECONDS = 0.1
SILENCE_SECONDS = 5
"""After so long without a finished piece, check whether any worker is left."""
QUEUED = 200
"""Pieces in the queue at a time, since the results of all are polled, where no task waits for a turn besides."""
ASKED_A_PROCESS = 2
"""Pieces that a task has in the queue at a time for each other process: what others ask for waits behind no more."""
COUNTED_SECONDS = 60
"""How often a task that leads others counts the workers' processes."""
PIECE = "foundation.pieces"

log = logging.getLogger(__name__)


def workers_answer() -> bool:
    """Whether the broker is reachable and at least one worker replies, and takes what is asked."""
    if is_held():
        return False
    try:
        with broker() as connected:
            # By a subscription workers hear commands: without one nobody will ever reply. Redis and Valkey alone know.
            client = getattr(connected.default_channel, "client", None)
            if client is not None and not client.pubsub_numpat():
                return False
            # The first answer is enough: only where none comes does this take the whole second.
            return bool(current_app.control.inspect(timeout=1.0, limit=1, connection=connected).ping())
    except QueueAway:
        return False


def workers_idle() -> bool:
    """Whether workers reply, and none of them has a task running or reserved."""
    inspect = current_app.control.inspect(timeout=1.0)
    active, reserved = inspect.active(), inspect.reserved()
    if not active or reserved is None:
        return False
    return not any(active.values()) and not any(reserved.values())


def worker_processes() -> int:
    """Processes of all workers that answer within a second."""
    with suppress(QueueAway), told_of_faults(), broker() as connected:
        answers = current_app.control.inspect(timeout=1.0, connection=connected).stats() or {}
        return sum(int((answer.get("pool") or {}).get("max-concurrency") or 1) for answer in answers.values())
    return 0


def spread(
    task: "Task[..., Any]",
    pieces: Sequence[Any],
    *,
    progress: Callable[[Any], object],
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
) -> None:
    """Run `task(piece, **options)` for every piece, on the workers if there are any.

    Within a task, which keeps a worker's process from the pieces, that process does them too, from the last on, while
    others take them from the first on: with one process it does all. Elsewhere this process does what the workers
    can't: all that is left once none of them answers, and what one that died had taken.

    Whoever does a piece holds its lock, which ends with its process: the piece of one that died is free again.

    Args:
        task: an idempotent task of one argument and options, which must survive JSON.
        pieces: its arguments.
        progress: called in this thread with each piece's result, in the order of completion.
        threads: how many pieces to do at once where no worker answers; more than one only for tasks that are safe
            in threads, each of which has a database connection of its own.

    Raises: whatever a piece raised, once; pieces already begun still run. One that comes late, when nobody waits any
        more, is done all the same: that is one reason why the task has to be idempotent.
    """
    if not pieces:
        return
    options = options or {}
    takes_part = bool(current_task) and not current_task.request.called_directly
    if not takes_part and not workers_answer():
        _run_here(task, pieces, progress, options, threads)
        return
    left = {secrets.randbits(62): piece for piece in pieces}
    others = _Others(task.name, left, options, beside_us=takes_part)
    heard = time.monotonic()
    try:
        while left:
            for key, value in others.answers():
                del left[key]
                progress(value)
                heard = time.monotonic()
            others.ask()
            if not takes_part and (others.away or time.monotonic() - heard > SILENCE_SECONDS):
                if others.away or not workers_answer():
                    _run_here(task, list(left.values()), progress, options, threads)
                    return
                # A dead worker took some with it; the broker would keep them for it until its own long timeout.
                takes_part, heard = workers_idle(), time.monotonic()
            for key in reversed(left) if takes_part else others.failed & left.keys():
                with alone_at(PIECE, key, wait=False) as ours:
                    value = task(left[key], **options) if ours else None
                if ours:
                    del left[key]
                    progress(value)
                    break
            else:
                time.sleep(POLL_SECONDS)
    finally:
        others.let_go()


class _Others:
    """The processes of workers other than this one, which are asked to do some of the pieces."""

    def __init__(self, task: str, left: Mapping[int, Any], options: Mapping[str, Any], *, beside_us: bool) -> None:
        """Args: left: the pieces that aren't done yet, by the keys of their locks; it shrinks. beside_us: whether this
        process, one of a worker, does pieces as well: it leaves the queue free for what others ask for."""
        self._task, self._left, self._options, self._beside_us = task, left, options, beside_us
        self._unasked, self._asked = deque(left), dict[str, int]()
        self._processes, self._counted = 0, -float(COUNTED_SECONDS)
        self.failed: set[int] = set()
        """Pieces that failed there."""
        self.away = False
        """The broker couldn't be reached: who was asked is forgotten."""

    def ask(self) -> None:
        """Send them pieces, as many as they may need until the next time. Without a broker nobody is asked."""
        try:
            room = max(0, self._most() - len(self._asked))
            keys = [key for key in self._unasked if key in self._left][:room]
            if keys:
                with open_queue() as put:
                    for key in keys:
                        piece = [self._task, self._left[key], dict(self._options), key]
                        self._asked[put(piece_of_a_task.name, *piece, result=True)] = key
                        self._unasked.remove(key)
        except QueueAway:
            self._nobody()

    def _most(self) -> int:
        """Pieces that may be in the queue at a time."""
        if not self._beside_us:
            return QUEUED
        if len(self._left) > 1 and time.monotonic() - self._counted >= COUNTED_SECONDS:
            self._processes, self._counted = worker_processes() - 1, time.monotonic()
        return ASKED_A_PROCESS * self._processes if len(self._left) > 1 else 0

    def answers(self) -> list[tuple[int, Any]]:
        """What they have done since the last call, by key. What failed there isn't among it: it is done here."""
        if not self._asked:
            return []
        try:
            with told_of_faults():
                # By one request for all, so that looking costs the workers nothing.
                backend: Any = current_app.backend  # Redis's, which the stubs don't know
                results = dict(backend.get_many(set(self._asked), interval=0, max_iterations=1))
        except QueueAway:
            self._nobody()
            return []
        done = []
        for message, result in results.items():
            key, value = self._asked.pop(message), result["result"]
            if result["status"] != states.SUCCESS:
                log.warning("A piece of %s failed on another worker, and is done here: %r", self._task, value)
                self.failed.add(key)
            elif value and key in self._left:
                done.append((key, value[0]))
        return done

    def let_go(self) -> None:
        """Take back what they haven't begun."""
        with suppress(QueueAway), told_of_faults():
            if self._asked:
                current_app.control.revoke(list(self._asked))

    def _nobody(self) -> None:
        self._asked.clear()
        self._processes, self._counted, self.away = 0, time.monotonic(), True


@shared_task(name="foundation.tasks.piece_of_a_task")
def piece_of_a_task(task: str, piece: Any, options: dict[str, Any], key: int) -> list[Any]:
    """Do a piece for a task that another process leads (`spread`). Returns: [its result]; []: somebody is at it."""
    with alone_at(PIECE, key, wait=False) as ours:
        return [current_app.tasks[task](piece, **options)] if ours else []


def _run_here(
    task: "Task[..., Any]",
    pieces: Sequence[Any],
    progress: Callable[[Any], object],
    options: Mapping[str, Any],
    threads: int,
) -> None:
    # Within a transaction, other connections don't see what this one has written.
    if min(threads, len(pieces)) < 2 or connection.in_atomic_block:
        for piece in pieces:
            progress(task(piece, **options))
        return

    def run(piece: Any) -> Any:
        try:
            return task(piece, **options)
        finally:
            connection.close()  # this thread's own

    pool = ThreadPoolExecutor(threads)
    try:
        for done in as_completed([pool.submit(run, piece) for piece in pieces]):
            progress(done.result())
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
