"""Recalibration: a machine's expected grades moved to where people's lie, in the order that they had."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..judgments.cross_fitted import cross_fitted


@dataclass(frozen=True, eq=False)
class Recalibration:
    """A line that never falls, through points: `said` by the machine (rising), `meant` by people; level beyond them."""

    said: FloatArray
    meant: FloatArray

    def __call__(self, expected: FloatArray) -> FloatArray:
        """What people mean by these grades of the machine, shape (P,)."""
        return np.interp(expected, self.said, self.meant)


def recalibration(expected: FloatArray, people: FloatArray) -> Recalibration:
    """The line that never falls and is nearest, by squares, to people's grades.

    Args: expected, people: shape (P,), P >= 1.
    Source: Barlow et al., Statistical Inference under Order Restrictions (1972): pool adjacent violators.

    >>> line = recalibration(np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0, 1.0]))
    >>> line(np.array([0.0, 1.5, 3.0])).tolist()
    [0.0, 0.75, 1.5]
    """
    from scipy.optimize import isotonic_regression  # slow to import

    said, place = np.unique(expected, return_inverse=True)
    times = np.bincount(place)
    mean = np.bincount(place, people) / times
    return Recalibration(said, np.asarray(isotonic_regression(mean, weights=times).x))


def recalibrated(expected: FloatArray, people: FloatArray, query: IntArray, decided: BoolArray) -> FloatArray:
    """Each pair's expected grade, moved by a line that was drawn without its own query; shape (P,).

    Args: people: shape (P,), any number where a pair isn't `decided`.
    Raises: EvaluationError if fewer than two queries have a decided pair.
    """

    def moved(fitted_on: BoolArray, wanted: BoolArray) -> FloatArray:
        return recalibration(expected[fitted_on], people[fitted_on])(expected[wanted])

    return cross_fitted(query, decided, moved)
