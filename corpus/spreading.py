"""Long work in pieces: given to the Celery workers when one answers, done here when none does."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from celery import Task, current_app
from celery.result import AsyncResult
from kombu.exceptions import OperationalError

POLL_SECONDS = 0.1
SILENCE_SECONDS = 60
"""Without a finished piece for so long, ask whether any worker is still there."""


def workers_answer() -> bool:
    """Whether the broker is reachable and at least one worker replies."""
    try:
        return bool(current_app.control.ping(timeout=1.0))
    except (OperationalError, OSError):
        return False


def workers_idle() -> bool:
    """Whether workers reply, and none of them has a task in hand or laid out."""
    inspect = current_app.control.inspect(timeout=1.0)
    active, reserved = inspect.active(), inspect.reserved()
    if not active or reserved is None:
        return False
    return not any(active.values()) and not any(reserved.values())


def spread(task: Task, pieces: Sequence[Any], *, progress: Callable[[Any], None]) -> None:
    """Run `task(piece)` for every piece, on the workers if there are any.

    Args:
        task: an idempotent task of one argument, which must survive JSON.
        pieces: its arguments.
        progress: called with each piece's result, in the order of completion.

    Raises: whatever a piece raised, once; pieces already queued still run.

    If the workers vanish half-way, the pieces that they haven't reported are done here; if one vanishes and the others
    have run out of work, its pieces are queued again: that is why the task has to be idempotent.
    """
    if not pieces:
        return
    if not workers_answer():
        _run_here(task, pieces, progress)
        return
    waiting = _queue(task, pieces)
    last_news = time.monotonic()
    try:
        while waiting:
            finished = [entry for entry in waiting.values() if entry[0].ready()]
            for result, _ in finished:
                del waiting[result.id]
                progress(result.get(propagate=True))
            if finished:
                last_news = time.monotonic()
            elif time.monotonic() - last_news > SILENCE_SECONDS:
                if not workers_answer():
                    _run_here(task, [piece for _, piece in waiting.values()], progress)
                    return
                if workers_idle():
                    # A dead worker took these with it; the broker would keep them for it until its own long timeout.
                    waiting = _queue(task, [piece for _, piece in waiting.values()])
                last_news = time.monotonic()
            time.sleep(POLL_SECONDS)
    except BaseException:
        for result, _ in waiting.values():
            result.revoke()
        raise


def _queue(task: Task, pieces: Iterable[Any]) -> dict[str, tuple[AsyncResult, Any]]:
    queued = [(task.delay(piece), piece) for piece in pieces]
    return {result.id: (result, piece) for result, piece in queued}


def _run_here(task: Task, pieces: Iterable[Any], progress: Callable[[Any], None]) -> None:
    for piece in pieces:
        progress(task(piece))
