"""Proportional odds: from a pair's features, how probable each grade is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import EvaluationError

RIDGE = 1.0
"""The penalty of a slope of standardised features: half its square."""
ROUNDS = 200


@dataclass(frozen=True, eq=False)
class OrdinalRegression:
    """A fit to F features and K grades: P(grade <= k) is the logistic function of cuts[k] - slopes . x, where x are
    the features standardised.

    Attributes: mean, scale, slopes: shape (F,). cuts: shape (K - 1,), rising.
    """

    mean: FloatArray
    scale: FloatArray
    slopes: FloatArray
    cuts: FloatArray

    def distribution(self, features: FloatArray) -> FloatArray:
        """How probable each grade of P pairs is, shape (P, K), rows that sum to 1.

        Args: features: shape (P, F); one that is NaN is taken as the mean of those that the fit saw.
        """
        at = self.cuts[None, :] - (_standardised(features, self.mean, self.scale) @ self.slopes)[:, None]
        below = np.concatenate([np.zeros((len(at), 1)), _logistic(at), np.ones((len(at), 1))], axis=1)
        return np.diff(below, axis=1)


def ordinal_regression(
    features: FloatArray, grade: IntArray, *, top_grade: int, ridge: float = RIDGE
) -> OrdinalRegression:
    """Fit proportional odds by penalised maximum likelihood.

    To the pairs one more is added, of mean features and of every grade in equal shares. So a grade that never occurs is
    improbable and not impossible, and one single grade, or grades that the features separate, have a fit.

    Args: features: shape (P, F), NaN where a pair lacks one. grade: shape (P,), 0 to top_grade.
    Raises: EvaluationError without a pair, or where a grade is beyond the top one.
    Source: McCullagh, Regression models for ordinal data (JRSS B 1980); the ridge and the added pair are ours.

    >>> fit = ordinal_regression(np.array([[0.1], [0.2], [0.8], [0.9]]), np.array([0, 0, 1, 1]), top_grade=1)
    >>> fit.distribution(np.array([[0.0], [1.0]])).argmax(axis=1).tolist()
    [0, 1]
    """
    if not len(grade):
        raise EvaluationError("found no graded pair, expected some to fit a judge on")
    if top_grade < 1 or int(grade.min()) < 0 or int(grade.max()) > top_grade:
        raise EvaluationError(f"found the grades {grade.min()} to {grade.max()}, expected 0 to {top_grade}")
    from scipy.optimize import minimize  # slow to import, and what needs no fit does without

    mean, scale = _mean_and_scale(features)
    count = top_grade + 1
    # The pair of every grade stands at the end, where its standardised features are 0.
    x = np.concatenate([_standardised(features, mean, scale), np.zeros((count, features.shape[1]))])
    y: IntArray = np.concatenate([grade, np.arange(count)])
    weight = np.concatenate([np.ones(len(grade)), np.full(count, 1 / count)])
    share = np.bincount(y, weight, minlength=count).cumsum()[:-1] / weight.sum()
    cuts = np.log(share / (1 - share))
    start = np.concatenate([np.zeros(x.shape[1]), cuts[:1], np.log(np.diff(cuts))])
    found = minimize(_loss, start, args=(x, y, weight, ridge), jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS})
    slopes, cuts = _slopes_and_cuts(found.x, x.shape[1])
    return OrdinalRegression(mean, scale, slopes, cuts)


def _mean_and_scale(features: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of each feature, from the pairs that have it: 0 and 1 of one that no pair has."""
    known = ~np.isnan(features)
    size = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, features, 0.0).sum(axis=0) / size
    spread = np.sqrt((np.where(known, features - mean, 0.0) ** 2).sum(axis=0) / size)
    return mean, np.where(spread > 1e-12, spread, 1.0)


def _standardised(features: FloatArray, mean: FloatArray, scale: FloatArray) -> FloatArray:
    return np.where(np.isnan(features), 0.0, (features - mean) / scale)


def _slopes_and_cuts(free: FloatArray, size: int) -> tuple[FloatArray, FloatArray]:
    """Slopes, and cuts that rise whatever the free numbers are: the first, then logarithms of the steps."""
    return free[:size], np.concatenate([free[size : size + 1], free[size] + np.cumsum(np.exp(free[size + 1 :]))])


def _loss(free: FloatArray, x: FloatArray, y: IntArray, weight: FloatArray, ridge: float) -> tuple[float, FloatArray]:
    """The penalised negative log-likelihood, and its gradient.

    With a and b the cuts above and below a pair's grade less its slope, P = F(a) F(-b) (1 - exp(b - a)).
    """
    slopes, cuts = _slopes_and_cuts(free, x.shape[1])
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    shift = x @ slopes
    above, below = ends[y + 1] - shift, ends[y] - shift
    step = np.maximum(ends[y + 1] - ends[y], 1e-12)
    log_chance = -np.logaddexp(0, -above) - np.logaddexp(0, below) + np.log(-np.expm1(-step))
    narrow = np.exp(-step) / -np.expm1(-step)
    by_above = weight * (_logistic(-above) + narrow)
    by_below = -weight * (_logistic(below) + narrow)
    by_cut = np.bincount(y, by_above, minlength=len(ends) - 1)[:-1] + np.bincount(y, by_below)[1:]
    # A cut is the first and all steps up to it.
    from_here = by_cut[::-1].cumsum()[::-1]
    gradient = np.concatenate(
        [-(x.T @ (by_above + by_below)), from_here[:1], from_here[1:] * np.exp(free[x.shape[1] + 1 :])]
    )
    penalty = np.zeros_like(free)
    penalty[: x.shape[1]] = ridge * slopes
    return float(-(weight @ log_chance) + ridge * (slopes @ slopes) / 2), penalty - gradient


def _logistic(values: FloatArray) -> FloatArray:
    smaller = np.exp(-np.abs(values))
    chance: FloatArray = np.where(values >= 0, 1.0, smaller) / (1 + smaller)
    return chance
