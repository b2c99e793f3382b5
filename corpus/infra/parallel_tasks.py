"""Run work in pieces on Celery workers, or here if none answers."""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from celery import Task, current_app, current_task
from celery.result import AsyncResult
from django.db import connection
from kombu.exceptions import OperationalError

POLL_SECONDS = 0.1
SILENCE_SECONDS = 5
"""Without a finished piece for so long, ask whether any worker is still there."""
QUEUED = 200
"""Pieces in the queue at a time: the results of all of them are looked at again and again."""


def workers_answer() -> bool:
    """Whether the broker is reachable and at least one worker replies."""
    if not _somebody_listens():
        return False
    try:
        # The first answer is enough: only where none comes does this take the whole second.
        return bool(current_app.control.inspect(timeout=1.0, limit=1).ping())
    except (OperationalError, OSError):
        return False


def _somebody_listens() -> bool:
    """Whether the broker has a subscription, by which workers hear commands: without one nobody will ever reply."""
    with current_app.connection_for_read() as broker:
        try:
            channel = broker.channel()
            # Redis and Valkey alone know; of another broker it is found out by asking.
            return not hasattr(channel, "client") or channel.client.pubsub_numpat() > 0
        except (OperationalError, *broker.connection_errors):
            return False


def workers_idle() -> bool:
    """Whether workers reply, and none of them has a task in hand or laid out."""
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
    waiting: dict[str, tuple[AsyncResult, Any]] = {}
    last_news = time.monotonic()
    try:
        while rest or waiting:
            while rest and len(waiting) < QUEUED:
                piece = rest.popleft()
                result = task.apply_async((piece,), dict(options))
                waiting[result.id] = (result, piece)
            finished = [entry for entry in waiting.values() if entry[0].ready()]
            for result, _ in finished:
                del waiting[result.id]
                progress(result.get(propagate=True))
            if finished:
                last_news = time.monotonic()
            elif time.monotonic() - last_news > SILENCE_SECONDS:
                if not workers_answer():
                    left = [piece for _, piece in waiting.values()]
                    _run_here(task, [*left, *rest], progress, options, threads)
                    return
                if workers_idle():
                    # A dead worker took these with it; the broker would keep them for it until its own long timeout.
                    rest.extendleft(piece for _, piece in waiting.values())
                    waiting.clear()
                last_news = time.monotonic()
            time.sleep(POLL_SECONDS)
    except BaseException:
        for result, _ in waiting.values():
            result.revoke()
        raise


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
