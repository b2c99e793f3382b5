"""A pause after work that a loop repeats, so that it takes at most a twentieth of the time."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

LONG = 0.5
"""Seconds; shorter work needs no pause."""
TIMES = 20
"""How many times as long as the work the pause is."""


class CoolDown:
    """The pause after one kind of work in this process."""

    def __init__(self) -> None:
        self._until = 0.0

    def is_over(self) -> bool:
        """Whether the pause is over, so that the work may be done again."""
        return time.monotonic() >= self._until

    @contextmanager
    def after(self) -> Iterator[None]:
        """Context around the work; the pause follows whether it fails or not."""
        began = time.monotonic()
        try:
            yield
        finally:
            ended = time.monotonic()
            self._until = ended + TIMES * (ended - began) if ended - began > LONG else 0.0
