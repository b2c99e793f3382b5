"""Compare runs query by query."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..errors import EvaluationError
from ..formats.table import Interval, Table
from ..measures import Measure
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..scores.conventions import PAPER, Convention
from ..scores.scoring import Record, evaluate
from ..significance import bootstrap_interval, holm, queries_needed, randomisation_test


@dataclass(frozen=True)
class Comparison:
    """Two runs on one measure, over the queries that have a value for both.

    Attributes:
        difference: mean of first - second. low, high: its bootstrap interval.
        p_value: of the randomisation test. corrected: after Holm over all comparisons made.
        wins, losses, ties: in how many queries the first is higher, lower, equal.
        needed: how many queries a difference of this size and scatter needs to be significant
        at 0.05 with power 0.8; infinite if there is no difference.
    """

    measure: str
    first: str
    second: str
    first_mean: float
    second_mean: float
    difference: float
    low: float
    high: float
    p_value: float
    corrected: float
    wins: int
    losses: int
    ties: int
    queries: int
    needed: float


def compare(
    ground_truth: GroundTruth,
    runs: Sequence[Run],
    measures: Sequence[str | Measure],
    *,
    convention: Convention | str = PAPER,
    draws: int = 10_000,
    seed: int = 0,
) -> list[Comparison]:
    """Every pair of runs on every measure, corrected for all of them together.

    Under ``released`` only the queries both runs answer are compared.
    Raises: EvaluationError for fewer than two runs, a measure without values per query, a pair
    without a common query, or as `evaluate`.
    """
    return compare_records(evaluate(ground_truth, runs, measures, convention=convention), draws=draws, seed=seed)


def compare_records(records: Sequence[Record], *, draws: int = 10_000, seed: int = 0) -> list[Comparison]:
    """`compare` of runs that are scored already."""
    runs = list(dict.fromkeys(record.run for record in records))
    if len(runs) < 2:
        raise EvaluationError("a comparison needs at least two runs")
    values = {}
    for record in records:
        if record.per_query is None:
            raise EvaluationError(f"{record.measure} has no value per query: it cannot be compared")
        values[record.run, record.measure] = record.per_query
    names = list(dict.fromkeys(measure for _, measure in values))
    asked = [(name, a, b) for name in names for a, b in combinations(runs, 2)]
    differences = np.column_stack([values[a, name] - values[b, name] for name, a, b in asked])
    counted = ~np.isnan(differences)
    for (name, a, b), kept in zip(asked, counted.sum(axis=0), strict=True):
        if not kept:
            raise EvaluationError(f"{a} and {b} have no query with a value of {name} in common")
    low, high = bootstrap_interval(differences, draws=draws, seed=seed)
    p_values = randomisation_test(differences, draws=draws, seed=seed + 1)
    corrected = holm(p_values)
    results = []
    for i, (name, a, b) in enumerate(asked):
        kept = counted[:, i]
        own = differences[kept, i]
        deviation = float(own.std(ddof=1)) if len(own) > 1 else 0.0
        # Equal up to rounding is a tie: two ways to the same sum differ in the last bit.
        equal = np.abs(own) < 1e-12
        results.append(
            Comparison(
                measure=name,
                first=a,
                second=b,
                first_mean=float(values[a, name][kept].mean()),
                second_mean=float(values[b, name][kept].mean()),
                difference=float(own.mean()),
                low=float(low[i]),
                high=float(high[i]),
                p_value=float(p_values[i]),
                corrected=float(corrected[i]),
                wins=int(((own > 0) & ~equal).sum()),
                losses=int(((own < 0) & ~equal).sum()),
                ties=int(equal.sum()),
                queries=len(own),
                needed=queries_needed(0.0 if equal.all() else float(own.mean()), deviation),
            )
        )
    return results


def comparison_table(results: Sequence[Comparison], *, draws: int, seed: int) -> Table:
    """Comparisons as a table that says how they were made."""
    sentence = (
        f"95 % bootstrap intervals and two-sided randomisation test, {draws:,} draws each, seed {seed}; "
        f"Holm over {len(results):,} comparison{'s' if len(results) > 1 else ''};\n"
        "needed: queries for this difference at 0.05 with power 0.8"
    )
    head = ["measure", "first", "second", "first mean", "second mean", "difference", "interval", "p", "Holm"]
    rows = [
        [
            *(one.measure, one.first, one.second, one.first_mean, one.second_mean, one.difference),
            *(Interval(one.low, one.high), one.p_value, one.corrected, one.wins, one.losses, one.ties),
            None if math.isinf(one.needed) else int(one.needed),
        ]
        for one in results
    ]
    signed = ("difference", "interval")
    return Table("Differences", sentence, [*head, "wins", "losses", "ties", "needed"], rows, signed)
