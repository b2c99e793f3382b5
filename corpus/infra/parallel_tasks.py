"""Run work in pieces on Celery workers, or here if none answers."""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from typing import Any

from celery import Task, current_app, current_task, states
from django.db import connection

from corpus.infra.task_queue import QueueAway, broker, open_queue, told_of_faults
from corpus.infra.upgrade_state import is_held

POLL_SECONDS = 0.1
SILENCE_SECONDS = 5
"""After so long without a finished piece, check whether any worker is left."""
QUEUED = 200
"""Pieces in the queue at a time, since the results of all are polled."""


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


def spread(
    task: Task,
    pieces: Sequence[Any],
    *,
    progress: Callable[[Any], None],
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
) -> None:
    """Run `task(piece, **options)` for every piece, on the workers if there are any.

    Args:
        task: an idempotent task of one argument and options, which must survive JSON.
        pieces: its arguments.
        progress: called in this thread with each piece's result, in the order of completion.
        threads: how many pieces to do at once where no worker answers; more than one only for tasks that are safe
            in threads, each of which has a database connection of its own.

    Raises: whatever a piece raised, once; pieces already begun still run.

    If the workers vanish half-way, the pieces that they haven't reported are done here: that is why the task has
    to be idempotent.
    """
    if not pieces:
        return
    options = options or {}
    # A task that waits for others keeps from them the process that would do them.
    if _inside_a_task() or not workers_answer():
        _run_here(task, pieces, progress, options, threads)
        return
    rest = deque(pieces)
    waiting: dict[str, Any] = {}
    try:
        _run_there(task, rest, waiting, progress, options)
    except QueueAway:
        # Workers or broker are gone; what they did and couldn't tell is done once more.
        _run_here(task, [*waiting.values(), *rest], progress, options, threads)
    except BaseException:
        with suppress(QueueAway), told_of_faults():
            current_app.control.revoke(list(waiting))
        raise


def _run_there(
    task: Task, rest: deque[Any], waiting: dict[str, Any], progress: Callable[[Any], None], options: Mapping[str, Any]
) -> None:
    """Raises: QueueAway when nobody works on them any more: what is not done is in `rest` and `waiting`."""
    last_news = time.monotonic()
    while rest or waiting:
        if rest and len(waiting) < QUEUED:
            with open_queue() as put:
                while rest and len(waiting) < QUEUED:
                    sent = put(task.name, rest[0], options=options, result=True)
                    waiting[sent] = rest.popleft()
        with told_of_faults():
            # By one request for all, so that looking costs the workers nothing.
            told = dict(current_app.backend.get_many(set(waiting), interval=0, max_iterations=1))
        finished = [task_id for task_id in waiting if task_id in told]
        for task_id in finished:
            del waiting[task_id]
            if told[task_id]["status"] != states.SUCCESS:
                raise told[task_id]["result"]
            progress(told[task_id]["result"])
        if finished:
            last_news = time.monotonic()
        elif time.monotonic() - last_news > SILENCE_SECONDS:
            if not workers_answer():
                raise QueueAway("no worker answers")
            if workers_idle():
                # A dead worker took these with it; the broker would keep them for it until its own long timeout.
                rest.extendleft(waiting.values())
                waiting.clear()
            last_news = time.monotonic()
        time.sleep(POLL_SECONDS)


def _inside_a_task() -> bool:
    return bool(current_task) and not current_task.request.called_directly


def _run_here(
    task: Task, pieces: Sequence[Any], progress: Callable[[Any], None], options: Mapping[str, Any], threads: int
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
