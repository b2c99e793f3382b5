"""Cohen's kappa and Krippendorff's alpha over items that everybody graded. Pure.

scikit-learn and krippendorff do the arithmetic and are imported when they are needed: a web process starts without.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from annotation.agreement.krippendorff import alpha_of
from annotation.grades import GRADES


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of several people, each at most 1 (perfect); 0 is what chance gives, None where undefined.

    `kappa` and `weighted` are means of Cohen's kappa over all pairs of people, without weights and with quadratic
    ones; `alpha` is Krippendorff's for ordinal grades. A pair of people who both gave one and the same grade to
    everything has no kappa and is left out of the means.
    """

    people: int
    items: int
    kappa: float | None
    weighted: float | None
    alpha: float | None


def agreement(grades: Sequence[Sequence[int]]) -> Agreement:
    """Agreement of people who graded the same items.

    Args: grades: one row per person, one grade 0-4 per item, in the same order.
    Returns: None for each figure with fewer than two people or no item.
    Raises: ValueError if the rows differ in length.
    Source: Cohen 1960, 1968; Krippendorff, Content Analysis (2019), section 12.3.
    """
    items = len(grades[0]) if grades else 0
    if any(len(row) != items for row in grades):
        raise ValueError(f"found rows of {sorted({len(row) for row in grades})} grades, expected one length")
    if len(grades) < 2 or not items:
        return Agreement(len(grades), items, None, None, None)
    return Agreement(
        people=len(grades),
        items=items,
        kappa=_mean([cohen_kappa(one, other) for one, other in combinations(grades, 2)]),
        weighted=_mean([cohen_kappa(one, other, weights="quadratic") for one, other in combinations(grades, 2)]),
        alpha=_ordinal_alpha(grades),
    )


def cohen_kappa(
    one: Sequence[int], other: Sequence[int], *, weights: Literal["quadratic"] | None = None
) -> float | None:
    """Two people's kappa on the same items; None where both gave the same single grade to all."""
    if len({*one, *other}) < 2:
        return None
    from sklearn.metrics import cohen_kappa_score

    value = float(cohen_kappa_score(one, other, labels=GRADES, weights=weights))
    return None if math.isnan(value) else value


def mean_kappa_of_each(grades: Sequence[Sequence[int]]) -> list[float | None]:
    """Each person's mean Cohen's kappa with the others, in the order of the rows."""
    kappas_of: dict[int, list[float | None]] = {place: [] for place in range(len(grades))}
    for one, other in combinations(range(len(grades)), 2):
        value = cohen_kappa(grades[one], grades[other])
        kappas_of[one].append(value)
        kappas_of[other].append(value)
    return [_mean(kappas_of[place]) for place in range(len(grades))]


def _ordinal_alpha(grades: Sequence[Sequence[int]]) -> float | None:
    if len({grade for row in grades for grade in row}) < 2:
        return None
    items = [tuple(item.count(grade) for grade in GRADES) for item in zip(*grades, strict=True)]
    return alpha_of(items, [1] * len(items))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
