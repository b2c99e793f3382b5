"""Queries drawn again and signs flipped: bootstrap intervals and the randomisation test."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import FloatArray, IntArray

AT_ONCE = 250
"""Draws held in memory together: 250 x 10,000 queries are some 20 MB."""
TAIL = (1 - 0.95) / 2
"""What lies beyond either end of a 95 % interval."""
PAIRS_AT_ONCE = 500
"""Pairs whose bootstrap differences are held together: 500 x 10,000 draws are 40 MB."""


def bootstrap_interval(differences: FloatArray, *, draws: int = 10_000, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """95 % percentile intervals for means, by drawing queries with replacement.

    Args: differences: shape (Q, C), a column a question; NaN where a query doesn't count.
    Returns: lower and upper ends, each shape (C,). The same queries are drawn for all columns.
    Source: Efron (1979); Sakai, Statistical Reform in Information Retrieval (SIGIR Forum 2014).
    """
    low, high = np.nanquantile(_drawn_means(differences, draws=draws, seed=seed), [TAIL, 1 - TAIL], axis=0)
    return low, high


def bootstrap_of_pairs(values: FloatArray, *, draws: int = 10_000, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """`bootstrap_interval` of the differences of every pair of columns, in the order of `itertools.combinations`.

    Args: values: shape (Q, S), a column a system, without NaN.
    Returns: lower and upper ends, each shape (S (S - 1) / 2,).
    """
    means = np.ascontiguousarray(_drawn_means(values, draws=draws, seed=seed).T)
    first, second = pair_places(values.shape[1])
    low, high = np.empty(len(first)), np.empty(len(first))
    for start in range(0, len(first), PAIRS_AT_ONCE):
        part = slice(start, start + PAIRS_AT_ONCE)
        drawn = means[first[part]] - means[second[part]]
        # Half of what sorting all of a row takes, and that a tenth of numpy.quantile.
        drawn.partition([*_places(TAIL, draws)[1:], *_places(1 - TAIL, draws)[1:]], axis=1)
        low[part], high[part] = _quantile(drawn, TAIL), _quantile(drawn, 1 - TAIL)
    return low, high


def _quantile(drawn: FloatArray, share: float) -> FloatArray:
    """The quantile of each row, interpolated linearly as numpy does; the rows are partitioned so that the two values
    around it stand in their sorted places."""
    place, below, above = _places(share, drawn.shape[1])
    quantile: FloatArray = drawn[:, below] + (drawn[:, above] - drawn[:, below]) * (place - below)
    return quantile


def _places(share: float, draws: int) -> tuple[float, int, int]:
    """Where the quantile lies in a sorted row, and the places of the values below and above."""
    place = share * (draws - 1)
    below = min(int(place), draws - 1)
    return place, below, min(below + 1, draws - 1)


def _drawn_means(values: FloatArray, *, draws: int, seed: int) -> FloatArray:
    """Means of queries drawn with replacement, shape (draws, C); NaN where nothing that counts was drawn."""
    counted = ~np.isnan(values)
    filled = np.where(counted, values, 0.0)
    means = []
    for weight in drawn_counts(len(values), draws=draws, seed=seed):
        kept = weight @ counted
        means.append(np.divide(weight @ filled, kept, out=np.full_like(kept, np.nan), where=kept > 0))
    return np.concatenate(means)


def drawn_counts(queries: int, *, draws: int, seed: int) -> Iterator[FloatArray]:
    """How often each query is drawn, with replacement, in some draws at a time: shape (draws at a time, queries)."""
    rng = np.random.default_rng(seed)
    for done in range(0, draws, AT_ONCE):
        count = min(AT_ONCE, draws - done)
        drawn = rng.integers(0, queries, (count, queries)) + np.arange(count)[:, None] * queries
        yield np.bincount(drawn.ravel(), minlength=count * queries).reshape(count, queries).astype(float)


def randomisation_test(differences: FloatArray, *, draws: int = 10_000, seed: int = 0) -> FloatArray:
    """Two-sided p-values of paired differences, by flipping their signs.

    Where Q queries have no more than ``draws`` ways to flip them, all 2^Q are tried and p is the share of those that
    reach the observed |mean|: exact. Otherwise signs are drawn at random, and p = (1 + how many of the draws reach
    it) / (1 + draws). Never 0 either way. Sums that differ from the observed one by rounding only count as reaching it.

    Args: differences: shape (Q, C); NaN where a query doesn't count.
    Returns: shape (C,), in (0, 1].
    Source: Smucker, Allan and Carterette, A Comparison of Statistical Significance Tests for IR
    Evaluation (CIKM 2007).

    >>> randomisation_test(np.array([[0.5], [0.25], [0.125]])).tolist()
    [0.25]
    """
    filled = np.where(np.isnan(differences), 0.0, differences)
    observed, slack = np.abs(filled.sum(axis=0)), 1e-12 * np.abs(filled).sum(axis=0)
    reached = np.zeros(filled.shape[1])
    for signs in _flips(len(filled), draws=draws, seed=seed):
        reached += (np.abs(signs @ filled) >= observed - slack).sum(axis=0)
    return _share(reached, len(filled), draws)


def randomisation_of_pairs(values: FloatArray, *, draws: int = 10_000, seed: int = 0) -> FloatArray:
    """`randomisation_test` of the differences of every pair of columns, in the order of `itertools.combinations`.

    The same p-values, with one product a system in the place of one a pair: 80 systems have 3,160 pairs.

    Args: values: shape (Q, S), a column a system, without NaN.
    Returns: shape (S (S - 1) / 2,), in (0, 1].
    """
    first, second = pair_places(values.shape[1])
    observed = np.abs(values.sum(axis=0)[first] - values.sum(axis=0)[second])
    slack = np.array([1e-12 * np.abs(values[:, a] - values[:, b]).sum() for a, b in zip(first, second, strict=True)])
    # What is added up a system at a time rounds by the size of its sum, not by that of the difference.
    slack += 1e-14 * np.abs(values).sum(axis=0).max(initial=0.0)
    reached = np.zeros(len(first))
    for signs in _flips(len(values), draws=draws, seed=seed):
        sums = signs @ values
        reached += (np.abs(sums[:, first] - sums[:, second]) >= observed - slack).sum(axis=0)
    return _share(reached, len(values), draws)


def pair_places(systems: int) -> tuple[IntArray, IntArray]:
    """The places of the first and of the second system of each pair, each shape (S (S - 1) / 2,)."""
    return np.triu_indices(systems, k=1)


def is_exact(queries: int, *, draws: int) -> bool:
    """Whether the randomisation test tries every way to flip the signs of so many queries.

    >>> is_exact(13, draws=10_000), is_exact(14, draws=10_000)
    (True, False)
    """
    return queries < 63 and 1 << queries <= draws


def _flips(queries: int, *, draws: int, seed: int) -> Iterator[FloatArray]:
    """Signs of the queries, +1 or -1, shape (at most AT_ONCE, Q) at a time: all of them, or `draws` at random."""
    if is_exact(queries, draws=draws):
        for start in range(0, 1 << queries, AT_ONCE):
            numbers = np.arange(start, min(start + AT_ONCE, 1 << queries))
            yield 1 - 2 * (numbers[:, None] >> np.arange(queries) & 1).astype(np.float64)
        return
    rng = np.random.default_rng(seed)
    for done in range(0, draws, AT_ONCE):
        count = min(AT_ONCE, draws - done)
        yield rng.integers(0, 2, (count, queries), dtype=np.int8).astype(np.float64) * 2 - 1


def _share(reached: FloatArray, queries: int, draws: int) -> FloatArray:
    if is_exact(queries, draws=draws):
        return np.asarray(reached / (1 << queries))
    return np.asarray((1 + reached) / (1 + draws))
