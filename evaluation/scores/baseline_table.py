"""The tables of TVR-Ranking's baselines: systems by training set, IoU by split, one block per cutoff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Literal

from ..errors import EvaluationError
from ..formats.system_names import SPLITS, NamedRun, named_run
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..scores.conventions import PAPER, Convention
from ..scores.scoring import evaluate

CUTOFFS, THRESHOLDS = (10, 20, 40), (0.3, 0.5, 0.7)
Rows = Literal["systems", "cutoffs"]


@dataclass(frozen=True)
class Cell:
    """Attributes: values: one a seed, in [0, 1]."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return mean(self.values)

    @property
    def deviation(self) -> float | None:
        """The sample standard deviation over the seeds (n - 1); None for one run."""
        return stdev(self.values) if len(self.values) > 1 else None


@dataclass(frozen=True)
class Block:
    """One block of the table.

    Attributes:
        heading: what stands above all columns, ``NDCG@20`` or the system.
        row_heads: the heads of the columns that name a row.
        rows: what names each row, and its cells by (IoU threshold, split); a cell that no run fills is missing.
    """

    heading: str
    row_heads: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], dict[tuple[float, str], Cell]], ...]


def baseline_table(
    truths: Mapping[str, GroundTruth],
    runs: Sequence[Run],
    *,
    cutoffs: Sequence[int] = CUTOFFS,
    thresholds: Sequence[float] = THRESHOLDS,
    rows: Rows = "systems",
    convention: Convention = PAPER,
) -> list[Block]:
    """Score runs as NDCG@K,IoU>=mu and lay the figures out as the paper does.

    Runs that differ in the seed alone are joined. ``rows="systems"``: one block per cutoff, one row per system
    and training set, in the order given, N rising. ``rows="cutoffs"``: one block per system and training set, one row
    per cutoff.

    Args: truths: by split, ``val`` and ``test`` or one of them. runs: named as `named_run` says.
    Raises: EvaluationError for a name that says no split, two that say the same, or a split without ground truth, or
    as `evaluate`.
    Source: TVR-Ranking (arXiv 2407.06597), Tables 5 and 6 (systems), and 7 (cutoffs, over seeds).
    """
    measures = {(k, mu): measure_name(k, mu) for k in cutoffs for mu in thresholds}
    values: dict[tuple[str, int | None], dict[tuple[int, float, str], list[float]]] = {}
    read: dict[NamedRun, str] = {}
    for run in runs:
        name = named_run(run.name)
        if name in read:
            raise EvaluationError(
                f"{read[name]} and {run.name} are the same system, N, split and seed: expected another seed for each"
            )
        read[name] = run.name
        if name.split not in truths:
            raise EvaluationError(f"{run.name} is a run for {name.split}: give that ground truth with --{name.split}")
        own = values.setdefault((name.system, name.top), {})
        records = evaluate(truths[name.split], [run], list(measures.values()), convention=convention)
        for (k, mu), record in zip(measures, records, strict=True):
            own.setdefault((k, mu, name.split), []).append(record.value)
    return laid_out(values, cutoffs=cutoffs, thresholds=thresholds, rows=rows)


def measure_name(cutoff: int, threshold: float) -> str:
    """How the table's measures are written.

    >>> measure_name(20, 0.5)
    'NDCG@20,IoU>=0.5'
    """
    return f"NDCG@{cutoff},IoU>={threshold:g}"


def laid_out(
    values: Mapping[tuple[str, int | None], Mapping[tuple[int, float, str], Sequence[float]]],
    *,
    cutoffs: Sequence[int] = CUTOFFS,
    thresholds: Sequence[float] = THRESHOLDS,
    rows: Rows = "systems",
) -> list[Block]:
    """The table of figures that are known: (system, N) -> (cutoff, IoU threshold, split) -> values, one a seed."""
    order = list(dict.fromkeys(system for system, _ in values))
    systems = sorted(values, key=lambda key: (order.index(key[0]), key[1] or 0))

    def cells(key: tuple[str, int | None], k: int) -> dict[tuple[float, str], Cell]:
        columns = [(mu, split) for mu in thresholds for split in SPLITS]
        return {
            (mu, split): Cell(tuple(values[key][k, mu, split]))
            for mu, split in columns
            if (k, mu, split) in values[key]
        }

    if rows == "systems":
        return [
            Block(f"NDCG@{k}", ("Model", "N"), tuple(((key[0], _top(key)), cells(key, k)) for key in systems))
            for k in cutoffs
        ]
    return [
        Block(
            key[0] + (f", N = {key[1]}" if key[1] else ""),
            ("NDCG",),
            tuple(((f"@{k}",), cells(key, k)) for k in cutoffs),
        )
        for key in systems
    ]


def filled_columns(blocks: Sequence[Block]) -> list[tuple[float, str]]:
    """The columns that some run fills: IoU threshold and split, by IoU, val before test."""
    there = {pair for block in blocks for _, cells in block.rows for pair in cells}
    return sorted(there, key=lambda pair: (pair[0], SPLITS.index(pair[1])))


def _top(key: tuple[str, int | None]) -> str:
    return "" if key[1] is None else str(key[1])
