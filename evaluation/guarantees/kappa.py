"""Cohen's kappa of two who graded the same, with quadratic weights."""

from __future__ import annotations

from ..arrays import FloatArray


def quadratic_kappa(first: FloatArray, second: FloatArray) -> float:
    """Cohen's kappa with quadratic weights; NaN if both always say the same one grade.

    >>> import numpy as np
    >>> round(quadratic_kappa(np.array([0.0, 1, 2, 4]), np.array([0.0, 2, 2, 4])), 4)
    0.9412
    """
    by_chance = first.var() + second.var() + (first.mean() - second.mean()) ** 2
    return 1 - float(((first - second) ** 2).mean() / by_chance) if by_chance else float("nan")
