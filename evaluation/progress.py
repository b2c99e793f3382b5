"""How long work says how far it is: by stages."""

from __future__ import annotations

from collections.abc import Callable

Advance = Callable[[int], object]
"""Called with how much was done since the last call."""
Stage = Callable[[str, int | None, str], Advance]
"""Called when a stage begins (and the one before has ended): title, total if known, unit."""

BYTES = "B"


def untold(title: str, total: int | None, unit: str) -> Advance:
    """Stages without a progress display."""
    return lambda done: None
