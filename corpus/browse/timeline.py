"""Coordinates of moments on a video's timeline: lanes, bars, ticks. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

MOST_TICKS = 8
_STEPS = (0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)


@dataclass(frozen=True, slots=True)
class MomentBar:
    """A moment's place: left edge and width in percent of the line (together at most 100), and its lane from 0."""

    left: float
    width: float
    lane: int


def lanes(spans: Sequence[tuple[float, float]]) -> list[int]:
    """The lane of each (start, end), in the order given: none overlaps another of its lane, the fewest lanes in all.

    Spans that only touch share a lane. Earlier spans get the upper lanes, the longer one first where both begin
    together.
    """
    given = [0] * len(spans)
    ends: list[float] = []
    for number in sorted(range(len(spans)), key=lambda number: (spans[number][0], -spans[number][1], number)):
        start, end = spans[number]
        lane = next((lane for lane, taken in enumerate(ends) if taken <= start), len(ends))
        if lane == len(ends):
            ends.append(end)
        ends[lane] = end
        given[number] = lane
    return given


def line_length(duration: float | None, spans: Sequence[tuple[float, float]]) -> float:
    """Seconds that a line has to show: the video's duration, or as far as its moments reach past it; 0 for nothing."""
    return max([duration or 0.0, *(end for _, end in spans)])


def bars(spans: Sequence[tuple[float, float]], *, length: float) -> list[MomentBar]:
    """Each span as a bar on a line of `length` seconds, in the order given.

    Raises: ValueError if there are spans and the line is shorter than one of them.
    """
    if any(end > length for _, end in spans):
        raise ValueError(f"found a line of {length:g} s, expected it to reach the last end")
    return [
        MomentBar(left=100 * start / length, width=100 * (end - start) / length, lane=lane)
        for (start, end), lane in zip(spans, lanes(spans), strict=True)
    ]


def ticks(length: float) -> list[float]:
    """Round times from 0 to at most `length` seconds, evenly spaced, `MOST_TICKS` intervals at most."""
    if length <= 0:
        return []
    step = next((step for step in _STEPS if length / step <= MOST_TICKS), 0.0)
    if not step:
        step = 3600.0 * -(-length // (3600 * MOST_TICKS))
    return [number * step for number in range(int(length // step) + 1)]
