"""Fits by folds of queries: what is said of a pair was never fitted on a grade of its own query."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import EvaluationError

FOLDS = 5

Predicted = Callable[[BoolArray, BoolArray], FloatArray]
"""(pairs to fit on, pairs to speak of), both shape (P,) -> what the fit says of the second, a row each."""


def folds_by_query(query: IntArray, decided: BoolArray, *, folds: int = FOLDS, seed: int = 0) -> IntArray:
    """Each pair's fold, shape (P,), from 0 on: the queries with a decided pair are dealt out at random, as evenly as
    they go; all pairs of a query are in one fold. -1 for pairs of other queries.

    Raises: EvaluationError if fewer than two queries have a decided pair.
    """
    names, place = np.unique(query, return_inverse=True)
    judged = np.flatnonzero(np.bincount(place[decided], minlength=len(names)))
    if len(judged) < 2:
        raise EvaluationError(f"queries with decided pairs: found {len(judged)}, expected at least 2 to fit across")
    of_query: IntArray = np.full(len(names), -1, dtype=np.int64)
    dealt = np.random.default_rng(seed).permutation(judged)
    of_query[dealt] = np.arange(len(dealt)) % min(folds, len(dealt))
    return of_query[place]


def cross_fitted(
    query: IntArray, decided: BoolArray, predicted: Predicted, *, folds: int = FOLDS, seed: int = 0
) -> FloatArray:
    """What fits say of all pairs, a row each.

    Of a query with decided pairs speaks the fit on the other folds' decided pairs. Of other queries speaks the mean of
    all folds' fits, so that on average machine grades of judged and unjudged queries come from the same fits: only then
    does what is off on the judged ones correct the others.

    Args: query: shape (P,), any numbers. decided: shape (P,), pairs with a grade of people.
    Raises: as `folds_by_query`.
    Source: Zrnic and Candès, Cross-prediction-powered inference (PNAS 2024).
    """
    fold = folds_by_query(query, decided, folds=folds, seed=seed)
    others = fold < 0
    said: FloatArray | None = None
    for own in range(int(fold.max()) + 1):
        wanted = (fold == own) | others
        rows = predicted(decided & (fold != own), wanted)
        if said is None:
            said = np.zeros((len(query), *rows.shape[1:]))
        said[wanted] += rows
    assert said is not None
    said[others] /= int(fold.max()) + 1
    return said
