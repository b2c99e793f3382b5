"""Limits on guessing passwords, tokens and invitations, counted in Redis, which all web processes share."""

import math
import time
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.utils.translation import ngettext
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import MovingWindowRateLimiter

from foundation.lazy import LazyStr

REDIS_AWAY_SECONDS = 10
"""After Redis couldn't be reached, each process counts for itself for so long, so that logins don't wait."""


@dataclass(frozen=True, slots=True)
class Limit:
    """So many attempts within so many minutes."""

    name: str
    attempts: int
    minutes: int

    @property
    def item(self) -> RateLimitItem:
        return RateLimitItemPerMinute(self.attempts, self.minutes, namespace=f"qreels-{self.name}")


class Throttled(Exception):
    """Too many attempts; the message says when to try again."""

    def __init__(self, what: LazyStr, seconds: float) -> None:
        self.seconds = max(1, math.ceil(seconds))
        minutes = math.ceil(self.seconds / 60)
        again = ngettext("Try again in %(minutes)s minute.", "Try again in %(minutes)s minutes.", minutes)
        super().__init__(f"{what} {again % {'minutes': minutes}}")


@lru_cache(maxsize=1)
def _shared() -> MovingWindowRateLimiter:
    # A short patience: whoever logs in waits for the answer.
    uri = settings.CELERY_BROKER_URL
    return MovingWindowRateLimiter(RedisStorage(uri, wrap_exceptions=True, socket_connect_timeout=1, socket_timeout=1))


_own = MovingWindowRateLimiter(MemoryStorage())
_away_until = 0.0


def _ask(method: str, limit: Limit, who: tuple[str, ...]) -> object:
    global _away_until
    if time.monotonic() >= _away_until:
        try:
            return getattr(_shared(), method)(limit.item, *who)
        except StorageError:
            _away_until = time.monotonic() + REDIS_AWAY_SECONDS
    return getattr(_own, method)(limit.item, *who)


def take(limit: Limit, *who: str, what: LazyStr) -> None:
    """Count an attempt. Raises: Throttled, beginning with `what`, if there were too many; that one isn't counted."""
    if not _ask("hit", limit, who):
        raise Throttled(what, _seconds_left(limit, who))


def refuse_when_full(limit: Limit, *who: str, what: LazyStr) -> None:
    """Count nothing. Raises: Throttled as `take` would."""
    if is_full(limit, *who):
        raise Throttled(what, _seconds_left(limit, who))


def is_full(limit: Limit, *who: str) -> bool:
    """Whether one more attempt would be too many."""
    return not _ask("test", limit, who)


def count(limit: Limit, *who: str) -> None:
    """Count an attempt that has failed."""
    _ask("hit", limit, who)


def forget(limit: Limit, *who: str) -> None:
    """Reset the count: the attempts so far were no guesses."""
    _ask("clear", limit, who)


def _seconds_left(limit: Limit, who: tuple[str, ...]) -> float:
    stats = _ask("get_window_stats", limit, who)
    return float(stats.reset_time) - time.time()  # type: ignore[attr-defined]
