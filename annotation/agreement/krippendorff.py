"""Krippendorff's alpha for ordinal grades, with a bootstrap interval, over pairs judged by any two or four. Pure.

`krippendorff` computes alpha itself. Of a thousand resamples only the counts differ, and alpha needs no more of them
than the coincidences, which add up over pairs: so the resamples are computed together here, and a test holds that
each equals the library's. krippendorff and numpy are imported when asked for: a web process starts without.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.grades import GRADES

RESAMPLES = 1000
SEED = 20_240_615
LEVEL = 0.95

Judged = Mapping[tuple[int, ...], int]
"""The grades given to a pair, in any order -> how many pairs got these."""


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha, at most 1 (perfect), 0 where chance alone would do as well; None where undefined.

    `low` and `high` enclose the middle 95 % of the alphas of resampled pairs; None with fewer than two pairs.
    `pairs` and `judgments` count what went in: pairs with two judgments or more.
    """

    pairs: int
    judgments: int
    alpha: float | None
    low: float | None
    high: float | None


def alpha_with_interval(judged: Judged, *, seed: int = SEED, resamples: int = RESAMPLES) -> Alpha:
    """Alpha of the grades, and the percentile interval of `resamples` draws of as many pairs, with replacement.

    Pairs with fewer than two grades say nothing about agreement and are left out. Undefined, and so None, where
    all grades are the same one. The same seed gives the same interval.

    Raises: ValueError for a grade outside 0-4.
    Source: Krippendorff, Content Analysis (2019), section 12.3; Efron and Tibshirani, An Introduction to the
    Bootstrap (1993), section 13.3.
    """
    counts = _grade_counts(judged)
    pairs = sum(counts.values())
    judgments = sum(sum(row) * times for row, times in counts.items())
    if sum(1 for grade in GRADES if any(row[grade] for row in counts)) < 2:
        return Alpha(pairs, judgments, None, None, None)
    rows, times = list(counts), list(counts.values())
    low, high = _interval(rows, times, seed, resamples) if pairs > 1 else (None, None)
    return Alpha(pairs, judgments, alpha_of(rows, times), low, high)


def _grade_counts(judged: Judged) -> Counter[tuple[int, ...]]:
    """How often each grade was given -> pairs, in the order of the rows: the seed must mean the same every time."""
    patterns: Counter[tuple[int, ...]] = Counter()
    for grades, pairs in sorted(judged.items()):
        for grade in grades:
            if grade not in GRADES:
                raise ValueError(f"found the grade {grade}, expected 0-{GRADES[-1]}")
        if len(grades) > 1 and pairs:
            patterns[tuple(grades.count(grade) for grade in GRADES)] += pairs
    return Counter(dict(sorted(patterns.items())))


def alpha_of(rows: Sequence[tuple[int, ...]], times: Sequence[int]) -> float:
    """Alpha of items that are each `times` there: `rows` say how often each grade was given to one."""
    import krippendorff
    import numpy as np

    counts = np.repeat(np.array(rows), times, axis=0)
    return float(krippendorff.alpha(value_counts=counts, value_domain=list(GRADES), level_of_measurement="ordinal"))


def _interval(
    rows: Sequence[tuple[int, ...]], times: Sequence[int], seed: int, resamples: int
) -> tuple[float | None, float | None]:
    import numpy as np

    weights = np.array(times, dtype=np.float64)
    draws = np.random.default_rng(seed).multinomial(int(weights.sum()), weights / weights.sum(), size=resamples)
    alphas = resampled_alphas(np.array(rows), draws)
    alphas = alphas[~np.isnan(alphas)]
    if len(alphas) < resamples / 2:
        return None, None
    low, high = np.quantile(alphas, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def resampled_alphas(rows: Any, draws: Any) -> Any:
    """Ordinal alpha of each draw at once.

    Args: rows: (patterns, grades), how often each grade was given; draws: (draws, patterns), how many pairs have it.
    Returns: (draws,); NaN where all grades drawn are the same.
    """
    import numpy as np

    given = rows.sum(axis=1)
    together = rows[:, :, None] * rows[:, None, :] - rows[:, :, None] * np.eye(rows.shape[1], dtype=int)
    together = together / (given - 1)[:, None, None]
    coincidences = np.tensordot(draws, together, axes=1)
    times = coincidences.sum(axis=2)
    # The ordinal distance of c <= k: all grades given from c to k, the two ends counted half, squared.
    below = np.cumsum(times, axis=1)
    between = np.abs((below - times / 2)[:, :, None] - (below - times / 2)[:, None, :])
    distances = between**2
    observed = (coincidences * distances).sum(axis=(1, 2))
    expected = (times[:, :, None] * times[:, None, :] * distances).sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - (times.sum(axis=1) - 1) * observed / expected, math.nan)
