"""Tables under headings, as text, Markdown and CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..figures.text_table import table

Cell = str | int | float | None
"""A number is written with its thousands separated, or four digits; None and NaN: there is none."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, a sentence below it, and a table: its head, then its rows, which their first cell tells apart."""

    heading: str
    sentence: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]


def as_text(sections: Sequence[Section]) -> str:
    """Tables for a terminal."""
    blocks = []
    for part in sections:
        told = table(part.head, [list(map(_shown, row)) for row in part.rows])
        lines = (part.heading, "-" * len(part.heading), part.sentence, told)
        blocks.append("\n".join(line for line in lines if line))
    return "\n\n".join(blocks)


def as_markdown(sections: Sequence[Section]) -> str:
    """The same tables in Markdown."""

    def piped(cells: Sequence[Cell]) -> str:
        return "| " + " | ".join(_shown(cell).replace("|", "\\|") for cell in cells) + " |"

    blocks = []
    for part in sections:
        rule = piped(["---", *["---:"] * (len(part.head) - 1)])
        lines = [f"## {part.heading}", *([part.sentence] if part.sentence else []), ""]
        blocks.append("\n".join([*lines, piped(part.head), rule, *map(piped, part.rows)]))
    return "\n\n".join(blocks)


def as_csv(sections: Sequence[Section]) -> str:
    """One cell of one table a line: table, row, column, value. Numbers have all their digits."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["table", "row", "column", "value"])
    for part in sections:
        for row in part.rows:
            for column, cell in zip(part.head[1:], row[1:], strict=True):
                rows.writerow([part.heading, row[0], column, "" if _shown(cell) == "-" else cell])
    return out.getvalue().rstrip("\n")


SECTION_FORMATS: dict[str, Callable[[Sequence[Section]], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "csv": as_csv,
}


def _shown(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "-"
    return cell if isinstance(cell, str) else f"{cell:,}" if isinstance(cell, int) else f"{cell:.4f}"
