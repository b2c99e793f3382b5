"""By how many standard errors an estimate may be off: of one estimate, and of all at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import FloatArray
from ..significance.resampling import drawn_counts

FEW = 100
"""Below so many queries Student's t is too narrow where values are skewed, and the queries are drawn again."""
DRAWS = 1_000
MOST = 1.5
"""Drawing again widens an interval to so many times Student's at most: a few queries can't say more of the tails."""


def student(freedom: int, level: float) -> float:
    """Student's t of a two-sided interval."""
    from scipy.special import stdtrit  # slow to import, and commands that need none of it do without

    return float(stdtrit(freedom, (1 + level) / 2))


def of_each(
    influence: FloatArray, *, freedom: int, level: float, seed: int = 0, counting: int | None = None
) -> FloatArray:
    """Critical values of single estimates, shape (C,): Student's t, or of few queries the bootstrap-t if that is wider.

    Args: influence: shape (C, n), of `AssistedMeans`. freedom: degrees of freedom. counting: how many of the n queries
        have a value (all).
    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), 12.5, of the absolute t.
    """
    columns, n = influence.shape
    single = student(freedom, level)
    if (counting or n) >= FEW:
        return np.full(columns, single)
    drawn = np.concatenate(list(_drawn(influence, DRAWS, seed)))
    widened: FloatArray = np.clip(np.quantile(drawn, level, axis=0), single, MOST * single)
    return widened


def of_all(
    influence: FloatArray, *, level: float = 0.95, draws: int = 10_000, seed: int = 0, counting: int | None = None
) -> float:
    """The critical value of the largest t of all estimates, which holds for all at once.

    The queries are drawn with replacement and each estimate divided by the error that the draw itself shows, so that
    skewed values, few queries and estimates that go together are taken as they are.

    Args: influence, counting: as `of_each` has them.
    Returns: never less than Student's t of one estimate and never more than Bonferroni's of all, both widened as far as
    `of_each` may.
    Source: Romano and Wolf, Exact and approximate stepdown methods (JASA 2005); Chernozhukov, Chetverikov and Kato,
        Gaussian approximations and multiplier bootstrap for maxima (Annals of Statistics 2013).
    """
    columns, n = len(influence), counting or influence.shape[1]
    freedom = max(1, n - 2)
    bonferroni = student(freedom, 1 - (1 - level) / columns)
    if columns < 2:
        return float(of_each(influence, freedom=freedom, level=level, seed=seed, counting=n)[0])
    largest = np.concatenate([values.max(axis=1) for values in _drawn(influence, draws, seed)])
    return float(np.clip(np.quantile(largest, level), student(freedom, level), bonferroni * (MOST if n < FEW else 1)))


def _drawn(influence: FloatArray, draws: int, seed: int) -> Iterator[FloatArray]:
    """The absolute t of each estimate when the queries are drawn again, shape (draws at a time, C); 0 where all that
    was drawn is alike and shows no error."""
    n = influence.shape[1]
    centred = (influence - influence.mean(axis=1, keepdims=True)).T
    squared = centred**2
    for counts in drawn_counts(n, draws=draws, seed=seed):
        sums = counts @ centred
        error = np.sqrt(np.maximum(counts @ squared - sums**2 / n, 0.0) * n / (n - 1))
        yield np.divide(np.abs(sums), error, out=np.zeros_like(sums), where=error > 1e-9 * np.abs(sums))
