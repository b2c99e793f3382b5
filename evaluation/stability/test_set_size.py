"""How many queries would it take to tell two systems apart?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

from ..scores.score_table import ScoreTable
from ..significance import queries_needed


@dataclass(frozen=True)
class QueriesNeeded:
    """Attributes: difference: mean of first - second; deviation: of the difference between queries.
    needed: queries for significance at 0.05 with power 0.8; more: how many are missing, 0 if the
    test set has enough; both infinite if the systems are equal."""

    measure: str
    first: str
    second: str
    difference: float
    deviation: float
    queries: int
    needed: float
    more: float


def queries_needed_for(table: ScoreTable) -> list[QueriesNeeded]:
    """For every measure and pair of systems; see `queries_needed` for the approximation."""
    rows = []
    for measure, values in zip(table.measures, table.values, strict=True):
        for a, b in combinations(range(len(table.systems)), 2):
            own = values[a] - values[b]
            deviation = float(own.std(ddof=1)) if len(own) > 1 else 0.0
            difference = float(own.mean())
            equal = math.isclose(difference, 0.0, abs_tol=1e-12)
            needed = math.inf if equal else queries_needed(difference, deviation)
            rows.append(
                QueriesNeeded(
                    measure,
                    table.systems[a],
                    table.systems[b],
                    difference,
                    deviation,
                    len(own),
                    needed,
                    max(0.0, needed - len(own)),
                )
            )
    return rows
