"""Intervals of all differences at once: the critical value of the largest t over them."""

from __future__ import annotations

import numpy as np
from scipy import stats

from evaluation.arrays import FloatArray
from evaluation.significance.resampling import drawn_counts


def largest_t(influence: FloatArray, *, level: float = 0.95, draws: int = 10_000, seed: int = 0) -> float:
    """By how many standard errors all estimates may be off at once, with the probability `level`.

    The queries are drawn with replacement and each estimate divided by the error that the draw itself shows
    (bootstrap-t), so that skewed values and few queries widen it. Estimates whose queries all say the same don't count.

    Args: influence: shape (C, n), of `AssistedMeans`.
    Returns: never less than Student's t of one estimate and never more than Bonferroni's of all.
    Source: Romano and Wolf, Exact and approximate stepdown methods (JASA 2005); Chernozhukov, Chetverikov and Kato,
        Gaussian approximations and multiplier bootstrap for maxima (Annals of Statistics 2013).
    """
    columns, n = influence.shape
    centred = influence - influence.mean(axis=1, keepdims=True)
    centred = centred[np.einsum("ij,ij->i", centred, centred) > 0].T
    single = float(stats.t.ppf((1 + level) / 2, max(1, n - 2)))
    if columns < 2 or not centred.size:
        return single
    largest = []
    for counts in drawn_counts(n, draws=draws, seed=seed):
        sums = counts @ centred
        squares = counts @ centred**2 - sums**2 / n
        error = np.sqrt(np.maximum(squares, 0.0) * n / (n - 1))
        # A draw that holds one query alone, again and again, shows no error.
        values = np.divide(np.abs(sums), error, out=np.zeros_like(sums), where=error > 1e-9 * np.abs(sums))
        largest.append(values.max(axis=1))
    bonferroni = float(stats.t.ppf(1 - (1 - level) / 2 / columns, max(1, n - 2)))
    return min(max(float(np.quantile(np.concatenate(largest), level)), single), max(single, bonferroni))
