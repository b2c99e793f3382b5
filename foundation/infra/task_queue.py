"""The task queue: every task is sent from here, with short timeouts while the broker can't be reached.

The database says what is to be done; a message only has a worker look at it. What couldn't be sent, or was lost with
the broker, is sent by the workers' sweep (`foundation/infra/sweep.py`).
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from celery import current_app
from celery.result import AsyncResult
from django.utils.translation import gettext_lazy as _
from kombu import Connection
from kombu.exceptions import OperationalError
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from foundation.refused import Refused

PATIENCE = 1.0
"""Seconds to wait for the broker within a request."""
KEPT = _("The task queue can't be reached right now. Your request is kept and starts when the queue is back.")
NOT_KEPT = _("The task queue can't be reached right now. Nothing was changed; try again later.")
# RuntimeError is what Celery's result store says once it has tried often enough.
_FAULTS = (OperationalError, RedisError, OSError, RuntimeError)


class QueueAway(Refused):
    """The broker can't be reached, for the reason `why`, and what was asked for is kept nowhere."""

    status = 503

    def __init__(self, why: object) -> None:
        self.why = str(why)
        super().__init__(NOT_KEPT)


@contextmanager
def told_of_faults() -> Iterator[None]:
    """Context that turns errors of the broker into QueueAway."""
    try:
        yield
    except _FAULTS as fault:
        raise QueueAway(fault) from fault


def _ping() -> None:
    # The clients below try again and again by themselves, which takes seconds where nobody listens.
    with suppress(ValueError):  # an address that only Celery knows, such as sentinel's
        client = Redis.from_url(
            current_app.conf.broker_url,
            socket_connect_timeout=PATIENCE,
            socket_timeout=PATIENCE,
            retry=Retry(NoBackoff(), 0),
        )
        with client:
            client.ping()


@contextmanager
def broker() -> Iterator[Connection]:
    """A connection to the broker with short timeouts. Raises: QueueAway."""
    with told_of_faults():
        _ping()
        patience = {"socket_connect_timeout": PATIENCE, "socket_timeout": PATIENCE}
        with current_app.connection_for_write(connect_timeout=PATIENCE, transport_options=patience) as connection:
            yield connection


def waiting_messages() -> int:
    """How many messages wait in the queue, without those reserved by a worker. Raises: QueueAway."""
    name = current_app.conf.task_default_queue
    with broker() as connection:
        channel = connection.default_channel
        return int(channel.queue_declare(name).message_count)  # type: ignore[attr-defined]  # every transport has it


Put = Callable[..., str]


@contextmanager
def open_queue() -> Iterator[Put]:
    """Yields `put(task, *arguments, options={}, countdown=0, expires=None, result=False)`, which returns an id.

    Args of `put`: task: its name; options: keyword arguments; countdown: seconds until it is due; expires: seconds
    after which nobody wants it any more; result: whether somebody will ask for its result.
    Raises: QueueAway.
    """
    with broker() as connected:

        def put(
            task: str,
            *arguments: Any,
            options: Mapping[str, Any] | None = None,
            countdown: float = 0,
            expires: float | None = None,
            result: bool = False,
        ) -> str:
            sent = current_app.send_task(
                task,
                arguments,
                dict(options or {}),
                connection=connected,
                countdown=countdown or None,
                expires=expires,
                retry=False,
                ignore_result=not result,
            )
            return str(sent.id)

        yield put


def send(task: str, *arguments: Any, countdown: float = 0, expires: float | None = None, result: bool = False) -> str:
    """Send one task: as `put` of `open_queue`. Raises: QueueAway."""
    with open_queue() as put:
        return put(task, *arguments, countdown=countdown, expires=expires, result=result)


def result_of(task_id: str) -> "AsyncResult[Any]":
    """The result of a task that was sent with `result`. Raises: QueueAway if the broker can't be reached."""
    with told_of_faults():
        _ping()
        result: AsyncResult[Any] = AsyncResult(task_id)
        result.state  # noqa: B018 - asks for it
    return result
