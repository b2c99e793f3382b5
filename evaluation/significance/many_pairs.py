"""Many pairs at once: Holm's correction, and Tukey's honestly significant difference by randomisation."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray
from ..significance.resampling import pair_places, randomisation_test


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


def randomised_tukey(values: FloatArray, *, draws: int = 10_000, seed: int = 0) -> FloatArray:
    """p-values of all pairs of systems together, by Tukey's honestly significant difference with permutations.

    If all systems were the same, each query's values could stand beside any of them. So they are shuffled query by
    query, and p = (1 + how many of the shuffles have a largest minus a smallest mean that reaches the pair's
    difference) / (1 + draws). The chance that any pair at all is wrongly found to differ is that of one test. Two
    systems are `randomisation_test`, which is the same and exact for few queries. Differences that differ by rounding
    only count as reaching it.

    Args: values: shape (Q, S), a column a system, without NaN.
    Returns: shape (S (S - 1) / 2,), in (0, 1], in the order of `itertools.combinations`.
    Source: Carterette, Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval Experiments
    (ACM TOIS 2012), algorithm 1; Sakai (SIGIR Forum 2014).
    """
    systems = values.shape[1]
    first, second = pair_places(systems)
    if systems == 2:
        return randomisation_test(values[:, :1] - values[:, 1:], draws=draws, seed=seed)
    sums = values.sum(axis=0)
    # A query on which all tie moves nothing, however it is shuffled.
    moving = values[np.ptp(values, axis=1) > 0] if systems else values
    rng = np.random.default_rng(seed)
    shuffled = moving.copy()
    spans = np.empty(draws)
    for draw in range(draws):
        rng.permuted(shuffled, axis=1, out=shuffled)
        spans[draw] = np.ptp(shuffled.sum(axis=0)) if len(first) else 0.0
    spans.sort()
    slack = 1e-12 * np.abs(values).sum()
    reached = draws - np.searchsorted(spans, np.abs(sums[first] - sums[second]) - slack, side="left")
    return np.asarray((1 + reached) / (1 + draws))
