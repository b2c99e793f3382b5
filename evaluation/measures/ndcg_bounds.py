"""Between which values NDCG@K lies, whatever grades the unjudged among the first K predictions would get.

With levels 0 = b_0 < b_1 < ... < b_L of gain, a list's ideal DCG is the sum over l of (b_l - b_(l-1)) W(c_l), where c_l
gains are at least b_l and W(n) sums the first n discounts: so what a new moment adds is a sum over levels too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..measures.measure import discount

STEPS = 100
"""Dinkelbach's iteration ends by itself after some five steps."""


@dataclass(frozen=True, eq=False)
class Unknown:
    """Q queries whose lists have unjudged predictions.

    Attributes: reached: DCG@K of what is judged, (Q,). unknown: which ranks have an unjudged prediction, (Q, D) for
    D <= K ranks. levels: the gains that a moment may have, L of them, rising, all above 0. counts: of how many judged
    moments the gain is at least each level, (L, Q). cutoff: K.
    """

    reached: FloatArray
    unknown: BoolArray
    levels: FloatArray
    counts: IntArray
    cutoff: int

    def lowest(self) -> FloatArray:
        """The least NDCG@K, shape (Q,).

        The ratio is quasi-concave in the gains (linear over convex), so a corner of their box has the least: s unjudged
        predictions have the highest gain, the others none, and for each s the last ones of the list do.
        """
        weights = np.sort(np.where(self.unknown, self._weight, np.inf), axis=1)
        gained = self.levels[-1] * _summed(np.where(np.isinf(weights), 0.0, weights))
        number = np.arange(gained.shape[1])
        ideal = np.zeros(gained.shape)
        for step, count in zip(self._steps, self.counts, strict=True):
            ideal += step * self._ideal[np.minimum(count[:, None] + number, self.cutoff)]
        value = np.divide(self.reached[:, None] + gained, ideal, out=np.zeros(ideal.shape), where=ideal > 0)
        lowest: FloatArray = np.where(number <= self.unknown.sum(axis=1)[:, None], value, np.inf).min(axis=1)
        return lowest

    def highest(self) -> FloatArray:
        """The greatest NDCG@K, shape (Q,).

        The first unjudged predictions have the highest gains; how many have at least each level is chosen by
        Dinkelbach's iteration: for a ratio t, each level on its own makes numerator - t * ideal the greatest.
        Source: W. Dinkelbach, On Nonlinear Fractional Programming (Management Science 1967).
        """
        gained = _summed(-np.sort(np.where(self.unknown, -self._weight, 0.0), axis=1))
        number, query = np.arange(gained.shape[1]), np.arange(len(gained))
        highest = np.zeros(len(gained))
        for _ in range(STEPS):
            above, ideal = self.reached.copy(), np.zeros(len(gained))
            for step, count in zip(self._steps, self.counts, strict=True):
                ideals = self._ideal[np.minimum(count[:, None] + number, self.cutoff)]
                chosen = np.argmax(gained - highest[:, None] * ideals, axis=1)
                above += step * gained[query, chosen]
                ideal += step * ideals[query, chosen]
            value = np.divide(above, ideal, out=np.zeros(len(gained)), where=ideal > 0)
            if not (value > highest).any():
                break
            highest = np.maximum(highest, value)
        return np.minimum(1.0, highest)

    @property
    def _weight(self) -> FloatArray:
        return discount(self.unknown.shape[1])

    @property
    def _steps(self) -> FloatArray:
        return np.diff(self.levels, prepend=0.0)

    @property
    def _ideal(self) -> FloatArray:
        """W: entry n is the sum of the first n discounts, (K + 1,)."""
        return np.concatenate(([0.0], np.cumsum(discount(self.cutoff))))


def _summed(values: FloatArray) -> FloatArray:
    """Sums of the first 0, 1, 2 ... columns: (Q, D) to (Q, D + 1)."""
    return np.concatenate((np.zeros((len(values), 1)), np.cumsum(values, axis=1)), axis=1)
