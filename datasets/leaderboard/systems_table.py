"""The table of a paper's baselines from a release's boards: systems by N, IoU by split, a block a cutoff."""

import math
from dataclasses import dataclass
from typing import Any

from datasets.models import Release, Run
from evaluation import EvaluationError
from evaluation.formats.system_names import named_run
from evaluation.scores.baseline_table import CUTOFFS, THRESHOLDS, Cell, filled_columns, laid_out, measure_name

TOLD = ("system", "top", "seed", "loss")
"""What a run's manifest says of its system; not all of it is read, it may be long."""


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system trained on N moments a query ("" if unknown or untrained), and what it scores; None without a run."""

    system: str
    top: str
    cells: list[Cell | None]


@dataclass(frozen=True, slots=True)
class SystemBlock:
    """One cutoff. Attributes: columns: IoU threshold and split of each cell."""

    heading: str
    columns: list[tuple[str, str]]
    rows: list[SystemRow]


def systems_table(release: Release) -> list[SystemBlock]:
    """What the systems of a release's boards score; empty where no run says what system it is of.

    A run says it by its manifest, or by its name (`evaluation.formats.system_names`); of two with the same system, N,
    split and seed the later counts. Source: TVR-Ranking (arXiv 2407.06597), Tables 5 and 6.
    """
    standing = Run.objects.filter(board__release=release, state=Run.State.SCORED, withdrawn_at=None).order_by("pk")
    named: dict[tuple[str, int | None, str, str], dict[str, Any]] = {}
    for run in standing.values("name", "values", "board__split", *(f"manifest__{key}" for key in TOLD)):
        system_key = _system_of(run)
        if system_key is not None:
            named[system_key] = run["values"]
    values: dict[tuple[str, int | None], dict[tuple[int, float, str], list[float]]] = {}
    for (system, top, split, _), scores in named.items():
        scores_of_system = values.setdefault((system, top), {})
        for k in CUTOFFS:
            for mu in THRESHOLDS:
                value = scores.get(measure_name(k, mu))
                if value is not None and math.isfinite(value):
                    scores_of_system.setdefault((k, mu, split), []).append(value)
    blocks = []
    for block in laid_out(values):
        if columns := filled_columns([block]):
            rows = [SystemRow(names[0], names[1], [cells.get(pair) for pair in columns]) for names, cells in block.rows]
            blocks.append(SystemBlock(block.heading, [(f"{mu:g}", split) for mu, split in columns], rows))
    return blocks


def _system_of(run: dict[str, Any]) -> tuple[str, int | None, str, str] | None:
    """Its system, N, split and seed, or None where neither manifest nor name says them."""
    split, stated = run["board__split"], {key: run[f"manifest__{key}"] for key in TOLD}
    if stated["system"] is not None:
        plain = stated["loss"] in (None, "", "paper")
        system = stated["system"] if plain else f"{stated['system']}, {stated['loss']}"
        return system, stated["top"], split, str(stated["seed"])
    try:
        named = named_run(run["name"])
    except EvaluationError:
        return None
    return (named.system, named.top, split, named.seed) if named.split == split else None
