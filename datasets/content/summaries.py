"""Mean, median, least and most of some numbers, rounded as a release states them. Pure."""

from collections.abc import Sequence
from math import fsum
from statistics import median

DECIMALS = 4


def summary(values: Sequence[float]) -> dict[str, float] | None:
    """Mean, median, least and most of some numbers; None of no numbers.

    >>> summary([1, 2, 6])
    {'mean': 3.0, 'median': 2, 'least': 1, 'most': 6}
    """
    if not values:
        return None
    return {
        "mean": round(fsum(values) / len(values), DECIMALS),
        "median": round(median(values), DECIMALS),
        "least": round(min(values), DECIMALS),
        "most": round(max(values), DECIMALS),
    }
