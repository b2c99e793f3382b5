"""Temporal transformations of a clip: which frame of the video is shown when.

Each gives frame numbers, counted from the clip's first frame, or `BLANK` for a black frame; the
clip keeps its length. Numbers past the clip's end are the video's next frames.
Source: HAP-VR, supplement, section B.3, 3; probabilities of its published code.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

BLANK = -1
FAST, SLOW, REVERSE, PAUSE, SHUFFLE_OR_DROP = 0.1, 0.1, 0.1, 0.1, 0.5
"""How likely each kind is; otherwise time runs as it does."""
SHUFFLE = 0.5
"""How likely sub-clips are shuffled rather than dropped."""
DROP = 0.3
"""How likely each sub-clip is dropped."""


def fast_forward(length: int) -> IntArray:
    """Every second frame: [0, 2, 4, ...]."""
    return np.arange(length, dtype=np.int64) * 2


def slow_motion(length: int) -> IntArray:
    """Every frame twice: [0, 0, 1, 1, ...]."""
    return np.arange(length, dtype=np.int64) // 2


def reverse_play(length: int) -> IntArray:
    """From the last frame to the first."""
    return np.arange(length, dtype=np.int64)[::-1].copy()


def pause(length: int, rng: Generator) -> IntArray:
    """A random frame is repeated for a quarter to a half of the clip; the frames that no longer fit are cut off."""
    at = int(rng.integers(0, length))
    held = int(rng.integers(max(1, length // 4), max(2, length // 2 + 1)))
    return np.insert(np.arange(length, dtype=np.int64), at, np.full(held, at))[:length]


def shuffle_sub_clips(length: int, rng: Generator) -> IntArray:
    """Two to four sub-clips in another order."""
    parts = _sub_clips(length, rng)
    return np.concatenate([parts[place] for place in rng.permutation(len(parts))])


def drop_sub_clips(length: int, rng: Generator) -> IntArray:
    """Some of two to four sub-clips are black; never all."""
    parts = _sub_clips(length, rng)
    dropped = rng.random(len(parts)) < DROP
    dropped[rng.integers(len(parts))] = False
    return np.concatenate(
        [np.full_like(part, BLANK) if out else part for part, out in zip(parts, dropped, strict=True)]
    )


def drawn_order(length: int, rng: Generator) -> IntArray:
    """One of the transformations above, or none, drawn by their probabilities. Shape (length,)."""
    draw = float(rng.random())
    kinds: tuple[tuple[float, Callable[[], IntArray]], ...] = (
        (FAST, lambda: fast_forward(length)),
        (SLOW, lambda: slow_motion(length)),
        (REVERSE, lambda: reverse_play(length)),
        (PAUSE, lambda: pause(length, rng)),
        (SHUFFLE_OR_DROP * SHUFFLE, lambda: shuffle_sub_clips(length, rng)),
        (SHUFFLE_OR_DROP * (1 - SHUFFLE), lambda: drop_sub_clips(length, rng)),
    )
    for probability, order in kinds:
        if draw < probability:
            return order()
        draw -= probability
    return np.arange(length, dtype=np.int64)


def _sub_clips(length: int, rng: Generator) -> list[IntArray]:
    parts = min(length, int(rng.integers(2, 5)))
    return list(np.array_split(np.arange(length, dtype=np.int64), parts))
