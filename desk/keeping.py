"""Figures kept for a moment, so that a page that looks every few seconds doesn't count a large collection each time."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any

from django.utils import timezone

SHARE = 20
"""Figures that took t seconds are kept for this many t: counting takes at most a twentieth of one process's time."""
LONGEST = 60.0
"""Seconds after which they are counted again however long that takes."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Figures, and when they were counted."""

    figures: Any
    as_of: datetime
    until: float


_kept: dict[tuple[str, int], Kept] = {}
_counting: dict[tuple[str, int], Lock] = {}


def kept(name: str, collection: int, count: Callable[[], Any]) -> Kept:
    """The figures of that name and collection: those of a moment ago, or `count()`'s, which every process keeps itself.

    What is counted in milliseconds is counted anew a fraction of a second later. Threads that ask together wait for
    one count.
    """
    key = name, collection
    found = _kept.get(key)
    if found is not None and time.monotonic() < found.until:
        return found
    with _counting.setdefault(key, Lock()):
        found = _kept.get(key)
        if found is not None and time.monotonic() < found.until:
            return found
        as_of, begun = timezone.now(), time.monotonic()
        figures = count()
        now = time.monotonic()
        fresh = Kept(figures, as_of, now + min(SHARE * (now - begun), LONGEST))
        _kept[key] = fresh
        return fresh


def forget() -> None:
    """Everything is counted anew: for tests, which change the world between two looks."""
    _kept.clear()
