"""Coordinates of a histogram of similarities with its threshold. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 284
LEFT, RIGHT, TOP, BASE = 48, 632, 52, 224


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin in SVG units: it counts values from `low` up to `high`."""

    x: float
    y: float
    width: float
    height: float
    low: float
    high: float
    times: int
    below: bool
    """Whether the whole bin lies below the threshold."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """The whole chart; ticks are (label, place)."""

    width: int
    height: int
    left: int
    right: int
    top: int
    base: int
    columns: list[Bin]
    ticks_x: list[tuple[str, float]]
    ticks_y: list[tuple[int, float]]
    limit: float
    """Where the threshold's line stands."""
    n: int

    @property
    def said_after(self) -> bool:
        """Whether the threshold's words stand to the right of its line, where there is more room."""
        return 2 * self.limit < self.left + self.right


def histogram(bins: Sequence[int], threshold: float) -> Histogram:
    """Lay out equal bins over [0, 1]. A bin that isn't empty keeps a visible sliver."""
    slot = (RIGHT - LEFT) / max(len(bins), 1)
    top = _round_up(max(bins, default=0))
    step = (BASE - TOP) / top
    columns = []
    for place, times in enumerate(bins):
        height = max(times * step, 1.5) if times else 0.0
        low, high = place / len(bins), (place + 1) / len(bins)
        columns.append(
            Bin(
                round(LEFT + place * slot + 1, 1),
                round(BASE - height, 1),
                round(slot - 2, 1),
                round(height, 1),
                low,
                high,
                times,
                high <= threshold + 1e-9,
            )
        )
    ticks = [(f"{tenth / 10:g}", round(LEFT + tenth / 10 * (RIGHT - LEFT), 1)) for tenth in range(0, 11, 2)]
    counts = [(top // 2, round(BASE - top // 2 * step, 1)), (top, round(BASE - top * step, 1))] if top > 1 else []
    limit = round(LEFT + min(max(threshold, 0.0), 1.0) * (RIGHT - LEFT), 1)
    return Histogram(WIDTH, HEIGHT, LEFT, RIGHT, TOP, BASE, columns, ticks, counts, limit, sum(bins))


def _round_up(number: int) -> int:
    """The next of 2, 4, 10, 20, 40, 100, ... so that its half is a round number too."""
    scale = 1
    while True:
        for leading in (2, 4, 10):
            if number <= leading * scale:
                return leading * scale
        scale *= 10
