"""Several runs of one system: mean and standard deviation over its seeds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..scores.scoring import Record

_SEED = re.compile(r"(?:[-_.]?(?:seed|run))?[-_.]?\d+$", re.IGNORECASE)


@dataclass(frozen=True)
class SystemRecord:
    """One system's value on one measure over its runs.

    Attributes: mean; deviation: the sample standard deviation (n - 1), NaN for one run.
    """

    system: str
    measure: str
    mean: float
    deviation: float
    runs: tuple[str, ...]
    values: tuple[float, ...]


def system_name(run: str) -> str:
    """The run's name without the seed at its end.

    >>> system_name("ReLoCLNet-seed3"), system_name("xml_2024"), system_name("conquer.run2"), system_name("7")
    ('ReLoCLNet', 'xml', 'conquer', '7')
    """
    return _SEED.sub("", run) or run


def over_seeds(records: Sequence[Record]) -> list[SystemRecord]:
    """Join the runs whose names differ only in a seed at the end, as in the paper's Table 7.

    Source: TVR-Ranking (arXiv 2407.06597), Table 7: mean and standard deviation over seeds.
    """
    grouped: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        grouped.setdefault((system_name(record.run), record.measure), []).append(record)
    return [
        SystemRecord(
            system,
            measure,
            float(np.mean([record.value for record in group])),
            float(np.std([record.value for record in group], ddof=1)) if len(group) > 1 else float("nan"),
            tuple(record.run for record in group),
            tuple(record.value for record in group),
        )
        for (system, measure), group in grouped.items()
    ]
