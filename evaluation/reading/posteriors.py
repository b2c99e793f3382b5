"""Posteriors over the grades of pairs: a release's `posteriors.csv`, or what the command `posteriors` writes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ..arrays import FloatArray
from ..errors import Faults, InputError, shown
from ..moments.ground_truth import GroundTruth
from ..reading.csv_rows import csv_rows
from ..reading.judgments import Lines

CHANCES = tuple(f"p{grade}" for grade in range(5))
MODEL = "dawid-skene"
"""The rows that are read where a file has several models."""
ROUNDING = 1e-4


def posteriors_for(ground_truth: GroundTruth, path: Path | str) -> FloatArray:
    """The probabilities of grade 0, 1... of each moment of a ground truth, shape (M, 5); NaN of those that the file
    hasn't.

    Args: ground_truth: with pair ids, as a release's val.json; path: CSV with `pair_id`, `p0` to `p4` and perhaps
        `model`, of which rows other than `MODEL` are passed over.
    Raises: InputError naming the first faults by line, or if none of its pairs is in the ground truth.
    """
    path = Path(path)
    known = _read(path)
    nothing = [math.nan] * len(CHANCES)
    rows = [known.get(pair_id or "", nothing) for pair_id in ground_truth.pair_ids]
    chances: FloatArray = np.array(rows, dtype=np.float64).reshape(-1, len(CHANCES))
    if np.isnan(chances).all():
        raise InputError(path, "", found=f"no pair of {ground_truth.name}", expected="posteriors of the same release")
    return chances


def _read(path: Path) -> Mapping[str, Sequence[float]]:
    faults = Faults()
    rows = csv_rows(path, Lines(path), faults)
    header = next(rows, (1, []))[1]
    if missing := [name for name in ("pair_id", *CHANCES) if name not in header]:
        expected = f"the columns pair_id, {', '.join(CHANCES)}"
        raise InputError(path, "line 1", found=f"no column {missing[0]}", expected=expected)
    known: dict[str, Sequence[float]] = {}
    for line, cells in rows:
        row = dict(zip(header, cells, strict=True))
        if row.get("model", MODEL) != MODEL:
            continue
        try:
            if row["pair_id"] in known:
                found = f"pair_id {shown(row['pair_id'])} a second time"
                raise InputError(path, f"line {line}", found=found, expected="each pair once")
            known[row["pair_id"]] = _chances(path, f"line {line}", [row[name] for name in CHANCES])
        except InputError as fault:
            faults.add(fault)
    faults.raise_any()
    return known


def _chances(path: Path, place: str, written: Sequence[str]) -> Sequence[float]:
    try:
        chances = [float(one) for one in written]
    except ValueError:
        chances = [math.nan]
    if not (all(0 <= one <= 1 for one in chances) and abs(sum(chances) - 1) <= ROUNDING):
        raise InputError(path, place, found=shown(list(written)), expected="probabilities whose sum is 1")
    return chances
