"""Records as tables: a value for each run and measure, and for each query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import FloatArray
from ..errors import EvaluationError
from ..formats.table import Table
from ..scores.scoring import Record


class RunTable(Table):
    """A row a run, a column a measure; people are shown it with the shorter of the two across."""

    def _laid_out(self) -> Table:
        if len(self.head) - 1 <= len(self.rows):
            return self
        head, *columns = zip(self.head, *self.rows, strict=True)
        return Table(self.heading, self.sentence, ["measure", *map(str, head[1:])], columns)


def cells_of_runs(records: Sequence[Record]) -> tuple[list[str], list[list[str | float]]]:
    """The head and the rows of a `RunTable`."""
    names = list(dict.fromkeys(record.measure for record in records))
    value = {(record.run, record.measure): record.value for record in records}
    runs = dict.fromkeys(record.run for record in records)
    return ["run", *names], [[run, *(value[run, name] for name in names)] for run in runs]


def per_query_table(query_ids: Sequence[str], records: Sequence[Record]) -> Table:
    """Each run's value of each query, run by run; measures without values per query are left out."""
    kept = [record for record in records if record.per_query is not None]
    names = list(dict.fromkeys(record.measure for record in kept))
    values = {(one.run, one.measure): one.per_query.tolist() for one in kept if one.per_query is not None}
    rows = [
        [run, query_id, *own]
        for run in dict.fromkeys(record.run for record in kept)
        for query_id, *own in zip(query_ids, *(values[run, name] for name in names), strict=True)
    ]
    return Table("", "", ["run", "query_id", *names], rows)


def with_values(records: Sequence[Record], measure: str = "") -> list[Record]:
    """The records that have a value for each query, or those of one measure.

    Raises: EvaluationError if there are none.
    """
    kept = [one for one in records if one.per_query is not None and measure in ("", one.measure)]
    if not kept:
        found = f"{measure} is none of the measures, or has" if measure else "no measure has"
        raise EvaluationError(f"{found} no value per query; there are {', '.join(_measures(records))}")
    return kept


def compared_measures(records: Sequence[Record]) -> list[str]:
    """The measures by which runs can be compared: those with a query that has a value of every run."""
    values: dict[str, list[FloatArray]] = {}
    for one in records:
        if one.per_query is not None:
            values.setdefault(one.measure, []).append(one.per_query)
    return [name for name, own in values.items() if not np.isnan(own).any(axis=0).all()]


def _measures(records: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(record.measure for record in records))
