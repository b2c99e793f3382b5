"""A table: as text, Markdown, HTML and LaTeX for people, as CSV, JSON and a data frame for programs."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..arrays import json_ready
from ..errors import EvaluationError
from ..figures.html import Html, as_html, element
from ..figures.text_table import table
from ..formats.latex import latex_text

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_SHOWN, FIRST, LAST = 60, 20, 5
"""A notebook shows this many rows; of a longer table the first and the last ones."""


class Interval(NamedTuple):
    """Two ends in one cell; programs get a column each."""

    low: float
    high: float


Datum = str | int | float | None
Cell = Datum | Interval
"""A number is shown with its thousands separated, or four digits; None and what isn't finite: there is none."""


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A heading, a sentence below it, and rows of cells under their heads.

    Attributes: signed: the columns whose numbers are shown with their sign.

    >>> Table("Speed", "", ["run", "runs", "interval"], [["mine", 1200, Interval(0.25, 0.5)], ["other", 1, None]])
    Speed
    -----
    run     runs          interval
    mine   1,200  [0.2500, 0.5000]
    other      1                 -
    """

    heading: str
    sentence: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    signed: Collection[str] = ()

    def __repr__(self) -> str:
        return self._shortened().text()

    def text(self) -> str:
        """The table under its heading and sentence, for a terminal."""
        lines = (self.heading, "-" * len(self.heading), self.sentence, self.columns())
        return "\n".join(line for line in lines if line)

    def columns(self) -> str:
        """The table alone, in aligned columns.

        >>> print(Table("", "", ["run", "p"], [["mine", 0.5]]).columns())
        run        p
        mine  0.5000
        """
        shown = self._laid_out()
        return table(shown.head, list(shown._shown()))

    def markdown(self) -> str:
        """A pipe table under its heading.

        >>> print(Table("", "", ["run", "p"], [["a|b", 0.5]]).markdown())
        | run | p |
        | --- | ---: |
        | a\\|b | 0.5000 |
        """
        shown = self._laid_out()
        rule = piped(["---", *["---:"] * (len(shown.head) - 1)])
        above = [f"## {self.heading}"] if self.heading else []
        above += [self.sentence] if self.sentence else []
        rows = [piped(shown.head), rule, *map(piped, shown._shown())]
        return "\n".join([*above, *([""] if above else []), *rows])

    def latex(self) -> str:
        """A tabular; it needs the package booktabs. Heading and sentence are left to the paper.

        >>> print(Table("", "", ["run", "NDCG@20,IoU>=0.5"], [["my_run", 0.5]]).latex())
        \\begin{tabular}{lr}
        \\toprule
        run & NDCG@20,IoU$\\geq$0.5 \\\\
        \\midrule
        my\\_run & 0.5000 \\\\
        \\bottomrule
        \\end{tabular}
        """
        shown = self._laid_out()
        lines = [f"\\begin{{tabular}}{{{shown._alignment()}}}", "\\toprule", _latex_row(shown.head), "\\midrule"]
        return "\n".join([*lines, *map(_latex_row, shown._shown()), "\\bottomrule", "\\end{tabular}"])

    def html(self) -> Html:
        """A table element with its heading as caption.

        >>> print(Table("", "", ["p"], [["<b"]]).html().replace("<tbody>", "\\n<tbody>"))
        <table><thead><tr><th style="text-align: left">p</th></tr></thead>
        <tbody><tr><td style="text-align: left">&lt;b</td></tr></tbody></table>
        """
        shown = self._laid_out()
        sides = [f"text-align: {'left' if side == 'l' else 'right'}" for side in shown._alignment()]

        def row(kind: str, cells: Sequence[str]) -> Html:
            return element("tr", *(element(kind, cell, style=side) for cell, side in zip(cells, sides, strict=True)))

        body = [row("td", cells) for cells in shown._shown()]
        head = element("thead", row("th", shown.head))
        told = [element("strong", self.heading)] if self.heading else []
        told += [as_html(line) for line in self.sentence.splitlines()]
        caption = [element("caption", Html("<br>".join(told)), style="text-align: left")] if told else []
        return element("table", *caption, head, element("tbody", *body))

    def _repr_html_(self) -> str:
        return self._shortened().html()

    def dicts(self) -> list[dict[str, Datum]]:
        """The rows as plain data by column; what isn't finite is None, an interval two columns.

        >>> Table("", "", ["run", "interval"], [["mine", Interval(0.25, 0.5)]]).dicts()
        [{'run': 'mine', 'low': 0.25, 'high': 0.5}]
        """
        names, rows = self._flat()
        return [{name: json_ready(cell) for name, cell in zip(names, row, strict=True)} for row in rows]

    def csv(self) -> str:
        """All digits, with a line of heads; nothing where there is no value.

        >>> print(Table("", "", ["run", "interval"], [["mine", Interval(0.25, 0.5)], ["other", None]]).csv(), end="")
        run,low,high
        mine,0.25,0.5
        other,,
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        names, rows = self._flat()
        writer.writerow(names)
        writer.writerows(["" if cell is None or cell != cell else cell for cell in row] for row in rows)
        return out.getvalue()

    def json_lines(self) -> str:
        """An object a row, by column.

        >>> print(Table("", "", ["run", "p"], [["mine", 0.5]]).json_lines(), end="")
        {"run": "mine", "p": 0.5}
        """
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in self.dicts())

    def frame(self) -> DataFrame:
        """A pandas DataFrame with a column for each head, an interval's ends in two.

        Raises: EvaluationError if pandas isn't installed.

        >>> Table("", "", ["run", "interval"], [["mine", Interval(0.25, 0.5)]]).frame()
            run   low  high
        0  mine  0.25   0.5
        """
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise EvaluationError("data frames need pandas: pip install pandas") from error
        names, rows = self._flat()
        return DataFrame(rows, columns=names)

    def _laid_out(self) -> Table:
        """As people are shown it."""
        return self

    def _shortened(self) -> Table:
        shown = self._laid_out()
        if len(shown.rows) <= MOST_SHOWN:
            return shown
        between = ["…", *[""] * (len(shown.head) - 1)]
        rows = [*shown.rows[:FIRST], between, *shown.rows[-LAST:]]
        sentence = " ".join(filter(None, [shown.sentence, f"{len(shown.rows):,} rows, of which some are shown."]))
        return Table(shown.heading, sentence, shown.head, rows, shown.signed)

    def _shown(self) -> Iterator[list[str]]:
        signs = ["+" if name in self.signed else "" for name in self.head]
        return ([_words(cell, sign) for cell, sign in zip(row, signs, strict=True)] for row in self.rows)

    def _alignment(self) -> str:
        """For each column l, if it has a text, or r."""
        texts = [any(isinstance(row[place], str) for row in self.rows) for place in range(len(self.head))]
        return "".join("l" if text else "r" for text in texts)

    def _flat(self) -> tuple[list[str], list[list[Datum]]]:
        """Heads and rows with a column for each end of an interval."""
        wide = [any(isinstance(row[place], Interval) for row in self.rows) for place in range(len(self.head))]
        alone = sum(wide) == 1
        names = [
            name
            for head, two in zip(self.head, wide, strict=True)
            for name in ([end if alone else f"{head} {end}" for end in Interval._fields] if two else [head])
        ]
        return names, [list(_ends(row, wide)) for row in self.rows]


CELL = ("table", "row", "column", "value")


def cells(tables: Sequence[Table]) -> Iterator[tuple[Cell, ...]]:
    """Each cell of each table: `CELL`; nothing where there is no value."""
    for part in tables:
        for row in part.rows:
            for column, cell in zip(part.head[1:], row[1:], strict=True):
                yield part.heading, row[0], column, cell if isinstance(cell, str) or _words(cell) != "-" else ""


def cells_csv(tables: Sequence[Table]) -> str:
    """Several tables in one CSV, a line for each cell. Numbers have all their digits."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([CELL, *cells(tables)])
    return out.getvalue().rstrip("\n")


TABLES_FORMATS: dict[str, Callable[[Sequence[Table]], str]] = {
    "text": lambda tables: "\n\n".join(part.text() for part in tables),
    "markdown": lambda tables: "\n\n".join(part.markdown() for part in tables),
    "csv": cells_csv,
}
"""How several tables are written together."""


def _words(cell: Cell, sign: str = "") -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Interval):
        return f"[{_words(cell.low, sign)}, {_words(cell.high, sign)}]"
    if cell is None or not math.isfinite(cell):
        return "-"
    return f"{cell:{sign},}" if isinstance(cell, int) else f"{cell:{sign}.4f}"


def _ends(row: Sequence[Cell], wide: Sequence[bool]) -> Iterator[Datum]:
    for cell, two in zip(row, wide, strict=True):
        if isinstance(cell, Interval):
            yield from cell
        else:
            yield from [cell] * (2 if two else 1)


def piped(cells: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(' '.join(cell.replace('|', chr(92) + '|').splitlines()) for cell in cells)} |"


def _latex_row(cells: Sequence[str]) -> str:
    told = (latex_text(cell).replace(">=", r"$\geq$").replace(">", "$>$") for cell in cells)
    return f"{' & '.join(told)} \\\\"
