"""Values that change over time: what an actor's joints and the stage do, segment by segment."""

import math
from bisect import bisect_right


def eased(share: float, ease: str) -> float:
    """Progress 0-1 of a movement for the share 0-1 of its time that has passed."""
    if ease == "linear":
        return share
    if ease == "walk":  # short start and stop, steady between
        ramp = 0.15
        if share < ramp:
            covered = share * share / (2 * ramp)
        elif share > 1 - ramp:
            covered = 1 - ramp - (1 - share) ** 2 / (2 * ramp)
        else:
            covered = share - ramp / 2
        return covered / (1 - ramp)
    if ease == "back":  # overshoots a little, as paper does
        left = share - 1
        return 1 + 2.2 * left**3 + 1.2 * left**2
    return (1 - math.cos(math.pi * share)) / 2


class Track:
    """A number over time; it keeps its value between movements."""

    __slots__ = ("_moves", "_starts", "first", "value")

    def __init__(self, value: float) -> None:
        self.first = value
        self.value = value
        self._starts: list[float] = []
        self._moves: list[tuple[float, float, float, float, str]] = []

    def to(self, start: float, seconds: float, value: float, ease: str = "soft") -> None:
        """Moves to a value, from wherever it is at `start`; replaces what was planned after `start`."""
        begin = self.at(start)
        while self._starts and self._starts[-1] >= start:
            self._starts.pop()
            self._moves.pop()
        self._starts.append(start)
        self._moves.append((start, max(seconds, 1e-6), begin, value, ease))
        self.value = value

    def at(self, time: float) -> float:
        index = bisect_right(self._starts, time) - 1
        if index < 0:
            return self.first
        start, seconds, begin, end, ease = self._moves[index]
        share = (time - start) / seconds
        return end if share >= 1 else begin + (end - begin) * eased(share, ease)
