"""The transport of the task queue: kombu's for Redis, but for an error that ended workers."""

from typing import Any

from kombu.transport import redis
from redis.exceptions import ConnectionError as RedisConnectionError


class Channel(redis.Channel):
    """One that says of a connection which was closed that it is lost.

    A worker whose broker has died gives back, or ends, what it had taken from there, on a connection that is closed
    already. Kombu (5.7) then fails with an AttributeError, which nobody expects, in place of an error of the
    connection, which is passed over: the broker, or the sweep, has the tasks done again.
    """

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        if getattr(self.connection, "client", None) is None:
            raise RedisConnectionError("the connection to the task queue was closed")
        return super()._connparams(asynchronous)  # type: ignore[misc, no-any-return]  # of kombu, not of its types


class Transport(redis.Transport):
    """For addresses with redis:// and rediss:// (`config/celery.py`)."""

    Channel = Channel
