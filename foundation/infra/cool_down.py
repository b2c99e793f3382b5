"""Limits work that is repeated for ever to a twentieth of the time, however long one look takes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

LONG = 0.5
"""Seconds; what takes less may be repeated at once."""
TIMES = 20
"""The rest, in times what the work took: it takes a twentieth of the time at most."""


class CoolDown:
    """The rest of one piece of work in this process."""

    def __init__(self) -> None:
        self._until = 0.0

    def is_over(self) -> bool:
        """Whether the work may be done again."""
        return time.monotonic() >= self._until

    @contextmanager
    def after(self) -> Iterator[None]:
        """Around the work; it has its rest whether it fails or not."""
        began = time.monotonic()
        try:
            yield
        finally:
            ended = time.monotonic()
            self._until = ended + TIMES * (ended - began) if ended - began > LONG else 0.0
