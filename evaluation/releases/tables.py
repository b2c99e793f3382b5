"""A table of text cells, and how it is written: Markdown, LaTeX, CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..formats.latex import latex_text
from ..formats.table import piped

Cell = str


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its title; the first cell of each row says what the others are. `key` names it in files."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    key: str = ""


def number(value: float | None) -> Cell:
    """A number with its thousands apart; whole ones without decimals, others with two; a dash for none.

    >>> number(69317), number(2.0), number(0.126), number(None)
    ('69,317', '2', '0.13', '–')
    """
    if value is None:
        return "–"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def percent(share: float | None) -> Cell:
    """A share of 1 in percent, with two decimals as in the paper.

    >>> percent(0.9779)
    '97.79 %'
    """
    return "–" if share is None else f"{100 * share:.2f} %"


def spread(summary: Mapping[str, float] | None) -> Cell:
    """A spread in one cell.

    >>> spread({"mean": 3.5, "median": 3, "least": 1, "most": 1200})
    '3.50 (3; 1 to 1,200)'
    """
    if summary is None:
        return "–"
    least, most = number(summary["least"]), number(summary["most"])
    return f"{summary['mean']:,.2f} ({number(summary['median'])}; {least} to {most})"


def markdown(table: Table) -> str:
    """A table as Markdown, with its note under it."""
    lines = [piped(table.columns), piped(["---", *["---:"] * (len(table.columns) - 1)]), *map(piped, table.rows)]
    return "\n".join([*lines, "", table.note, ""] if table.note else [*lines, ""])


def latex(table: Table) -> str:
    """A table as LaTeX, as a float with the title and the note as its caption. Needs the package booktabs."""
    caption = f"{table.title}. {table.note}" if table.note else f"{table.title}."
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_latex(caption)}}}",
        rf"  \label{{tab:{table.key}}}",
        r"  \begin{tabular}{l" + "r" * (len(table.columns) - 1) + "}",
        r"    \toprule",
        f"    {_latex_row(table.columns)}",
        r"    \midrule",
        *(f"    {_latex_row(row)}" for row in table.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join([*lines, ""])


def _latex_row(cells: Sequence[Cell]) -> str:
    return " & ".join(map(_latex, cells)) + r" \\"


def _latex(cell: Cell) -> str:
    return latex_text(cell).replace("–", "--").replace("κ", r"$\kappa$")


def as_csv(table: Table) -> str:
    """A table as CSV: its columns, then its rows, cells as they are read, numbers without thousands apart."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([row[0], *(_plain(cell) for cell in row[1:])] for row in table.rows)
    return out.getvalue()


def _plain(cell: Cell) -> Cell:
    if cell == "–":
        return ""
    digits = cell.replace(",", "")
    return digits if digits.replace(".", "", 1).isdigit() else cell


WRITTEN: dict[str, tuple[str, Callable[[Table], str]]] = {
    "tex": ("application/x-latex", latex),
    "csv": ("text/csv", as_csv),
    "md": ("text/markdown", markdown),
}
"""How a table is written to a file, by its ending: content type and writer."""
