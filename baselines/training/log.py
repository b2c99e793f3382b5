"""A training's log, JSON Lines, and its curve, SVG, both beside the model."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.figures.line_panels import Panel, PlotLine, line_panels

FILE = "log.jsonl"
CURVE = "curve.svg"


class Log:
    """A line a validation: step, epoch, the mean losses since the last, the validation's figures, the learning rate.

    A training that goes on where it was killed first cuts off what it will write again.
    """

    def __init__(self, path: Path, kept_bytes: int) -> None:
        path.touch()
        os.truncate(path, min(kept_bytes, path.stat().st_size))
        self._file = path.open("a", encoding="utf-8")

    def write(self, row: dict[str, Any]) -> None:
        """Append a row; it is in the file afterwards."""
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()

    @property
    def bytes(self) -> int:
        """The log's length."""
        return self._file.tell()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def read_log(path: Path) -> list[dict[str, Any]]:
    """All whole rows."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def curve(rows: Sequence[dict[str, Any]], *, title: str, note: str) -> str | None:
    """Validation figures and losses over the epochs, as SVG; None before the second validation."""
    if len(rows) < 2:
        return None
    measures, parts = list(rows[-1]["validation"]), list(rows[-1]["losses"])

    def line(kind: str, name: str, whole: float) -> PlotLine:
        return PlotLine(name, [(row["epoch"], row[kind].get(name, float("nan")) / whole) for row in rows])

    # The parts' weights differ by far: as shares they have one scale, which is that of the figures beside them.
    values = {name: [float(row["losses"].get(name, 0.0)) for row in rows] for name in parts}
    greatest = {name: max(map(abs, values[name])) or 1.0 for name in parts}
    least = min(value for part in values.values() for value in part)
    panels = [
        Panel("On the validation split", [line("validation", name, 1.0) for name in measures]),
        Panel(
            "Training loss by part, as a share of its greatest",
            [line("losses", name, greatest[name]) for name in parts],
        ),
    ]
    return line_panels(panels, title=title, x_label="epoch", y_label="", note=note, from_zero=least >= 0)
