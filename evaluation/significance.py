"""Significance of differences: resampling of queries, corrections for multiple tests."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from evaluation.arrays import FloatArray

AT_ONCE = 250
"""Draws held in memory together: 250 x 10,000 queries are some 20 MB."""


def bootstrap_interval(
    differences: FloatArray, *, draws: int = 10_000, confidence: float = 0.95, seed: int = 0
) -> tuple[FloatArray, FloatArray]:
    """Percentile intervals for means, by drawing queries with replacement.

    Args: differences: shape (Q, C), a column a question; NaN where a query doesn't count.
    Returns: lower and upper ends, each shape (C,). The same queries are drawn for all columns.
    Source: Efron (1979); Sakai, Statistical Reform in Information Retrieval (SIGIR Forum 2014).
    """
    rng = np.random.default_rng(seed)
    queries = len(differences)
    counted = ~np.isnan(differences)
    filled = np.where(counted, differences, 0.0)
    means = []
    for done in range(0, draws, AT_ONCE):
        count = min(AT_ONCE, draws - done)
        drawn = rng.integers(0, queries, (count, queries)) + np.arange(count)[:, None] * queries
        weight = np.bincount(drawn.ravel(), minlength=count * queries).reshape(count, queries).astype(float)
        kept = weight @ counted
        means.append(np.divide(weight @ filled, kept, out=np.full_like(kept, np.nan), where=kept > 0))
    tail = (1 - confidence) / 2
    low, high = np.nanquantile(np.concatenate(means), [tail, 1 - tail], axis=0)
    return low, high


def randomisation_test(differences: FloatArray, *, draws: int = 10_000, seed: int = 0) -> FloatArray:
    """Two-sided p-values of paired differences, by flipping their signs at random.

    p = (1 + how many of the draws reach the observed |mean|) / (1 + draws), so never 0. Sums that
    differ from the observed one by rounding only count as reaching it.

    Args: differences: shape (Q, C); NaN where a query doesn't count.
    Returns: shape (C,), in (0, 1].
    Source: Smucker, Allan and Carterette, A Comparison of Statistical Significance Tests for IR
    Evaluation (CIKM 2007).
    """
    rng = np.random.default_rng(seed)
    filled = np.where(np.isnan(differences), 0.0, differences)
    observed = np.abs(filled.sum(axis=0))
    slack = 1e-12 * np.abs(filled).sum(axis=0)
    reached = np.zeros(filled.shape[1])
    for done in range(0, draws, AT_ONCE):
        count = min(AT_ONCE, draws - done)
        signs = rng.integers(0, 2, (count, len(filled)), dtype=np.int8).astype(np.float64) * 2 - 1
        reached += (np.abs(signs @ filled) >= observed - slack).sum(axis=0)
    return np.asarray((1 + reached) / (1 + draws))


def holm(p_values: FloatArray) -> FloatArray:
    """p-values with Holm's correction for multiple tests, in the given order.

    Source: Holm, A Simple Sequentially Rejective Multiple Test Procedure (1979).

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    stepped = p_values[order] * np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(stepped))
    return corrected


def queries_needed(difference: float, deviation: float, *, significance: float = 0.05, power: float = 0.8) -> float:
    """How many queries a paired difference of this size needs to be significant.

    n = ((z[1 - significance / 2] + z[power]) * deviation / difference)^2, rounded up: the usual
    normal approximation for a two-sided paired test that finds the difference with probability
    ``power``. Infinite if there is no difference; 2 at least.

    Source: Sakai, Topic Set Size Design (Information Retrieval Journal 2016), in its simplest form.

    >>> queries_needed(0.02, 0.3)
    1766.0
    """
    if difference == 0:
        return math.inf
    normal = NormalDist()
    z = normal.inv_cdf(1 - significance / 2) + normal.inv_cdf(power)
    return float(max(2, math.ceil((z * deviation / difference) ** 2)))
