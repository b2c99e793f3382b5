"""The mean that people would give over all queries, from some that they judged and all that a machine judged.

The machine's mean over all queries is corrected by how far it is from people on the queries that people judged. How far
it is followed (its weight) is a regression on those queries, so that a machine which knows nothing, or which is set
against a system, costs width and never the level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import EvaluationError
from ..guarantees.critical_values import FEW, of_each, student

Target = Literal["these", "such"]
"""Of what the mean is: of these queries and no others (a finite population), or of all such queries, of which these
are a sample."""

FEWEST = 20
"""Queries that people must have judged before a machine is followed at all: fewer can't say how far."""


@dataclass(frozen=True, eq=False)
class AssistedMeans:
    """Means of C columns, such as systems or differences of two, over N queries of which people judged n.

    Attributes:
        estimate, error: shape (C,), the error is the standard error.
        weight: shape (C,), how far the machine is followed; 0 is not at all.
        influence: shape (C, n): what each query that people judged adds to the error; its squares sum to `error` ** 2.
        half_width: shape (C,), of the interval at `level`.
        judged, queries: n and N. counting: of the n those with a value. freedom: the degrees of freedom of the t
            distribution.
    """

    estimate: FloatArray
    error: FloatArray
    weight: FloatArray
    influence: FloatArray
    half_width: FloatArray
    judged: int
    queries: int
    counting: int
    freedom: int

    @property
    def low(self) -> FloatArray:
        """The lower ends of the intervals."""
        return self.estimate - self.half_width

    @property
    def high(self) -> FloatArray:
        """The upper ends of the intervals."""
        return self.estimate + self.half_width


def assisted_means(
    people: FloatArray,
    machine: FloatArray | None,
    judged: IntArray,
    *,
    queries: int,
    level: float = 0.95,
    target: Target = "these",
) -> AssistedMeans:
    """Estimate the mean of each column over all queries.

    For one query that people judged let y be its value by people, f by the machine. The estimate is
    mean(y) + weight (mean of all f - mean of judged f), its weight the slope of y on f, its variance that of the
    regression's residuals, each by what its query weighs in the estimate and enlarged by its leverage (HC2). Of fewer
    than `FEW` queries it is the jackknife's, for which each is left out in turn: a line bends to the few queries that
    the machine sets apart, and hides how far off it is. The interval is as `of_each` says. This is prediction-powered
    inference with power tuning, seen as the regression estimator of survey sampling. A value may be NaN where a query
    doesn't count by people's judgments: the mean is over those that count.

    Args:
        people: shape (C, n), values by people's judgments. machine: shape (C, N), by the machine's; NaN where it has
        none; None to go by people alone. judged: shape (n,), places of the queries that people judged, drawn at random
        without replacement. queries: N.
    Raises: EvaluationError if fewer than two queries count.
    Source: Angelopoulos, Duchi and Zrnic, PPI++ (arXiv 2311.01453); Särndal, Swensson and Wretman, Model Assisted
        Survey Sampling (1992), 6.6; MacKinnon and White (1985), for HC2 and the jackknife.

    >>> found = assisted_means(np.array([[0.0, 1.0, 1.0]]), None, np.array([0, 1, 2]), queries=3)
    >>> round(float(found.estimate[0]), 4), float(found.half_width[0])
    (0.6667, 0.0)
    """
    counts = ~np.isnan(people)
    size = counts.sum(axis=1)
    n = people.shape[1]
    if n < 2 or (size < 2).any():
        raise EvaluationError(
            f"queries that people judged and that count: found {int(size.min(initial=n))}, expected at least 2"
        )
    share, counting = size / n, int(size.min())
    alone = np.where(counts, people, 0.0).sum(axis=1) / size
    # How far each query is from the mean of those that count, so that queries that don't count add nothing.
    beyond = np.where(counts, people - alone[:, None], 0.0) / share[:, None]
    followed = machine is not None and counting >= FEWEST
    if followed and machine is not None:
        known = ~np.isnan(machine)
        signal = np.where(known, machine - alone[:, None], 0.0)
    else:
        signal = np.zeros((len(people), queries))
    own = signal[:, judged]
    centre = own.mean(axis=1)
    deviation = own - centre[:, None]
    squares = np.einsum("ij,ij->i", deviation, deviation)
    useful = squares > 1e-12 * n
    slope = np.divide(np.einsum("ij,ij->i", deviation, beyond), squares, out=np.zeros(len(people)), where=useful)
    shift = signal.mean(axis=1) - centre
    lean = np.divide(deviation, squares[:, None], out=np.zeros_like(deviation), where=useful[:, None])
    leverage = np.minimum(1 / size[:, None] + deviation * lean, 1 - 1e-9)
    residual = beyond - slope[:, None] * deviation
    residual -= residual.mean(axis=1, keepdims=True)
    unseen = max(0.0, 1 - n / queries)
    influence = (1 / n + shift[:, None] * lean) * residual / np.sqrt(1 - leverage) * np.sqrt(unseen)
    if counting < FEW:
        influence *= np.sqrt((1 - 1 / size[:, None]) / (1 - leverage))
    variance = np.einsum("ij,ij->i", influence, influence)
    spread = beyond.var(axis=1, ddof=1)
    freedom = counting - (2 if useful.any() else 1)
    critical = of_each(influence, freedom=freedom, level=level, counting=counting)
    if target == "such":
        variance = variance + spread / queries
        # Both of a query's parts go one way; what they come to together is the variance's.
        influence += (beyond - beyond.mean(axis=1, keepdims=True)) / np.sqrt(n * queries)
        length = np.sqrt(np.einsum("ij,ij->i", influence, influence))
        influence *= np.divide(np.sqrt(variance), length, out=np.zeros_like(length), where=length > 0)[:, None]
    error = np.sqrt(variance)
    half_width = _at_least(critical * error, residual, spread, n=counting, unseen=unseen, level=level)
    return AssistedMeans(
        *(alone + slope * shift, error, slope, influence, half_width),
        judged=n,
        queries=queries,
        counting=counting,
        freedom=freedom,
    )


def _at_least(
    widths: FloatArray, residual: FloatArray, spread: FloatArray, *, n: int, unseen: float, level: float
) -> FloatArray:
    """Half the width of each interval. Where all residuals are alike they say nothing of the queries not seen: it is
    then taken that one query more was off by people's own deviation; where people's values are alike, too, that
    1 - (1 - level)^(1 / n) of the queries not seen are otherwise, by a whole 1."""
    same = np.ptp(residual, axis=1) < 1e-12
    if not same.any() or not unseen:
        return widths
    one_off = student(n - 1, level) * np.sqrt(spread * unseen) / n
    return np.where(
        same, np.maximum(widths, np.where(spread > 0, one_off, (1 - (1 - level) ** (1 / n)) * unseen)), widths
    )
