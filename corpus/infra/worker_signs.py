"""Whether a worker runs, for pages that say what waits; the room that keeps signs of life registers a look."""

from collections.abc import Callable

_looks: list[Callable[[], bool]] = []


def register(look: Callable[[], bool]) -> None:
    """Called by a room's AppConfig.ready(): `look()` says whether a worker was heard of just now. One SQL query."""
    _looks.append(look)


def no_worker() -> bool:
    """Whether nobody does what waits in the queue."""
    return bool(_looks) and not any(look() for look in _looks)
