"""The values every study starts from: measure x system x query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..errors import EvaluationError
from ..measures import Measure
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..scores.conventions import PAPER, Convention
from ..scores.scoring import Record, evaluate


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Attributes: values: shape (measures, systems, queries); every entry has a value."""

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    values: FloatArray

    def means(self) -> FloatArray:
        """Each system's score on each measure, shape (measures, systems)."""
        means: FloatArray = self.values.mean(axis=2)
        return means

    def differs(self) -> FloatArray:
        """Largest minus smallest value over the systems, shape (measures, queries)."""
        spread: FloatArray = np.ptp(self.values, axis=1)
        return spread


def score_table(
    ground_truth: GroundTruth,
    runs: Sequence[Run],
    measures: Sequence[str | Measure],
    *,
    convention: Convention | str = PAPER,
) -> ScoreTable:
    """Score all runs on all measures, query by query.

    Queries for which some measure or run has no value are left out for all, so that every system
    is looked at on the same queries.
    Raises: EvaluationError for measures without values per query, or if no query is left.
    """
    return table_of_records(evaluate(ground_truth, runs, measures, convention=convention))


def table_of_records(records: Sequence[Record]) -> ScoreTable:
    """`score_table` of runs that are scored already."""
    names = tuple(dict.fromkeys(record.measure for record in records))
    systems = tuple(dict.fromkeys(record.run for record in records))
    rows = {}
    for record in records:
        if record.per_query is None:
            raise EvaluationError(f"{record.measure} has no value per query, stability studies need them")
        rows[record.measure, record.run] = record.per_query
    values = np.array([[rows[name, system] for system in systems] for name in names])
    values = values[:, :, ~np.isnan(values).any(axis=(0, 1))]
    if not values.shape[2]:
        raise EvaluationError("no query has a value on every measure for every run")
    return ScoreTable(names, systems, values)
