"""What each judged pair's other grades do to each run, one grade at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import FloatArray, ranges
from ..stability.flips import Singles
from ..stability.regrading import ROWS_AT_ONCE, Regrading

VALUES_AT_ONCE = 5_000_000
"""Gains of a moment, a grade and a pair of runs held together: 40 MB."""


class SingleChanges:
    """Tries every other grade of every judged pair, in blocks, and keeps what pairs of runs need of it.

    Args: grades: shape (L,), of the scale. values: shape (R, Q), of the runs by the grades as they are. pairs: places
    of two runs, the one ahead first.
    """

    def __init__(
        self, regrading: Regrading, grades: FloatArray, values: FloatArray, pairs: Sequence[tuple[int, int]]
    ) -> None:
        self.regrading, self.grades, self.values = regrading, grades, values
        self._ahead, self._behind = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        shape = (len(pairs), len(regrading.ground_truth.grade))
        self._gain, self._best = np.zeros(shape), np.zeros(shape, dtype=np.uint8)

    def blocks(self) -> list[tuple[int, int]]:
        """The judged pairs in blocks that `take` takes: from, to."""
        truth, tried = self.regrading.ground_truth, len(self.grades)
        rows = np.cumsum(np.diff(truth.offset)[truth.query]) * tried
        widest = max(1, VALUES_AT_ONCE // (tried * max(1, len(self._ahead))))
        found, low = [], 0
        while low < len(rows):
            before = rows[low - 1] if low else 0
            high = max(low + 1, int(np.searchsorted(rows, before + ROWS_AT_ONCE, side="right")))
            found.append((low, min(high, low + widest)))
            low = found[-1][1]
        return found

    def values_of(self, low: int, high: int) -> FloatArray:
        """The query's value by each run where each of these judged pairs has each grade, shape (pairs, L, R)."""
        truth, tried = self.regrading.ground_truth, len(self.grades)
        query = truth.query[low:high]
        size = np.diff(truth.offset)[query]
        copied = np.repeat(size, tried)
        grade = truth.grade[ranges(np.repeat(truth.offset[query], tried), copied)]
        first = (np.cumsum(copied) - copied).reshape(-1, tried)
        grade[first + (np.arange(low, high) - truth.offset[query])[:, None]] = self.grades
        values = self.regrading.values(np.repeat(query, tried), grade)
        return values.reshape(high - low, tried, -1)

    def take(self, low: int, high: int) -> FloatArray:
        """Try the judged pairs of a block. Returns: shape (pairs, R), the largest change of each run's mean."""
        query = self.regrading.ground_truth.query[low:high]
        change = self.values_of(low, high) - self.values[:, query].T[:, None, :]
        if len(self._ahead):
            gain = change[:, :, self._behind] - change[:, :, self._ahead]
            best = gain.argmax(axis=1)
            self._best[:, low:high] = best.T
            self._gain[:, low:high] = np.maximum(np.take_along_axis(gain, best[:, None, :], axis=1)[:, 0].T, 0.0)
        up, down = change.max(axis=1), change.min(axis=1)
        largest: FloatArray = np.where(up >= -down, np.maximum(up, 0.0), down) / self.values.shape[1]
        return largest

    def singles(self, pair: int) -> Singles:
        """What two runs need of it, once every block is taken."""
        difference = self.values[self._ahead[pair]] - self.values[self._behind[pair]]
        return Singles(difference, self._gain[pair], self.grades[self._best[pair]])
