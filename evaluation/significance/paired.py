"""Paired differences by the normal theory: Student's t-test, effect size, how many queries are needed."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from ..arrays import FloatArray

ROUNDING = 1e-12
"""A deviation below this share of the largest difference is rounding: the differences are all the same."""


def paired_t_test(differences: FloatArray) -> FloatArray:
    """Two-sided p-values of Student's t-test for paired differences.

    Args: differences: shape (Q, C); NaN where a query doesn't count.
    Returns: shape (C,), in [0, 1]: 1 where all differences are 0, 0 where all are one other number, NaN for fewer than
    two queries.
    Source: Student (1908); Smucker, Allan and Carterette (CIKM 2007) compare it with the randomisation test.
    """
    from scipy.special import stdtr

    counts, means, deviations = _moments(differences)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(means) / (deviations / np.sqrt(counts))
        p_values = 2 * stdtr(counts - 1, -t)
    p_values = np.where(deviations == 0, np.where(means == 0, 1.0, 0.0), p_values)
    return np.asarray(np.where(counts < 2, np.nan, p_values))


def effect_sizes(differences: FloatArray) -> FloatArray:
    """Cohen's d of paired differences: their mean over their standard deviation (n - 1).

    Args: differences: shape (Q, C); NaN where a query doesn't count.
    Returns: shape (C,): 0 where all differences are 0, infinite where all are one other number, NaN for fewer than two.
    Source: Cohen, Statistical Power Analysis for the Behavioral Sciences (1988), d_z; Sakai (SIGIR Forum 2014).

    >>> effect_sizes(np.array([[0.1], [0.3]])).round(3).tolist()
    [1.414]
    """
    counts, means, deviations = _moments(differences)
    with np.errstate(divide="ignore", invalid="ignore"):
        effects = np.where(means == 0, 0.0, means / deviations)
    return np.asarray(np.where(counts < 2, np.nan, effects))


def _moments(differences: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How many count, their means and standard deviations (n - 1); what is 0 up to rounding is 0."""
    counted = ~np.isnan(differences)
    counts = counted.sum(axis=0).astype(float)
    filled = np.where(counted, differences, 0.0)
    largest = np.abs(filled).max(axis=0, initial=0.0)
    means = filled.sum(axis=0) / np.maximum(counts, 1)
    squares = (np.where(counted, differences - means, 0.0) ** 2).sum(axis=0)
    deviations = np.sqrt(squares / np.maximum(counts - 1, 1))
    means = np.where(np.abs(means) <= ROUNDING * largest, 0.0, means)
    return counts, means, np.where(deviations <= ROUNDING * largest, 0.0, deviations)


def queries_needed(difference: float, deviation: float) -> float:
    """How many queries a paired difference of this size needs to be significant.

    n = ((z[1 - 0.05 / 2] + z[0.8]) * deviation / difference)^2, rounded up: the usual normal approximation for a
    two-sided paired test at 0.05 that finds the difference with probability 0.8. Infinite if there is no difference;
    2 at least.

    Source: Sakai, Topic Set Size Design (Information Retrieval Journal 2016), in its simplest form.

    >>> queries_needed(0.02, 0.3)
    1766.0
    """
    if difference == 0:
        return math.inf
    normal = NormalDist()
    z = normal.inv_cdf(1 - 0.05 / 2) + normal.inv_cdf(0.8)
    return float(max(2, math.ceil((z * deviation / difference) ** 2)))
