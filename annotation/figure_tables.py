"""Figures in words: their numbers as tables for pages and CSV, their drawings in a page's colours, their files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase, JsonResponse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import override

from evaluation.figures import svg as sheets
from foundation.infra.csv_download import csv_download
from foundation.infra.csv_escape import safe_cell

Stored = Mapping[str, Any]
Cell = Stored | int | float | str | None
"""A stored estimate (value, low, high), a count, another number, a name; None: there is none."""
UNDRAWN = "–"
HEADINGS = ("table", "row", "column", "value")
"""Of the rows of `csv_rows`."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: `key` names it in files, `heading` and `says` on the page. Rows begin with their name; `matrix`: grades
    by grades."""

    key: str
    heading: str
    says: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    matrix: bool = False

    @property
    def shown(self) -> list[list[str]]:
        """The rows as a page has them."""
        return [[str(row[0]), *map(cell_in_words, row[1:])] for row in self.rows]


def csv_rows(tables: Iterable[Table]) -> Iterable[tuple[str, str, str, float | int | str]]:
    """One number a row: table, row, column, value; an estimate is three: its own, and the ends of its interval."""
    for table in tables:
        for row in table.rows:
            for column, cell in zip(table.head[1:], row[1:], strict=True):
                parts = cell if isinstance(cell, Mapping) else {"value": cell}
                for part, value in parts.items():
                    name = (column or part) if part == "value" else f"{column} {part}".strip()
                    yield table.key, safe_cell(str(row[0])), name, "" if value is None else value


def cell_in_words(cell: Cell) -> str:
    """A cell as a page has it.

    >>> cell_in_words({"value": 0.5, "low": 0.25, "high": 0.75}), cell_in_words({"value": 0.5, "low": None})
    ('0.50 (0.25 to 0.75)', '0.50')
    >>> cell_in_words(1234), cell_in_words(-0.5), cell_in_words(None)
    ('1,234', '−0.50', '–')
    """
    if isinstance(cell, Mapping):
        if cell["value"] is None or cell["low"] is None:
            return cell_in_words(cell["value"])
        return _("%(value)s (%(low)s to %(high)s)") % {name: cell_in_words(part) for name, part in cell.items()}
    if cell is None or isinstance(cell, str):
        return cell or UNDRAWN
    return f"{cell:,}" if isinstance(cell, int) else f"{round(cell, 2) + 0.0:.2f}".replace("-", "−")


def on_page(svg: str) -> SafeString:
    """A figure that `evaluation.figures` has drawn, whose sheet escapes all words, in the page's colours."""
    return mark_safe(sheets.on_page(svg))


def file_of_figures(
    name: str,
    ending: str,
    *,
    rows: Callable[[], Iterable[Iterable[Any]]],
    told: Callable[[], Stored],
    drawings: Mapping[str, Callable[[], str]],
    headings: Sequence[str] = HEADINGS,
) -> HttpResponseBase:
    """The file NAME.ENDING of figures, in English: `rows` as CSV, what is `told` as JSON, or an SVG of `drawings`.

    Raises: Http404 for another ending, and for a drawing of nothing.
    """
    with override("en"):
        if ending == "csv":
            return csv_download(name, headings, rows())
        if ending == "json":
            response: HttpResponse = JsonResponse(told(), json_dumps_params={"indent": 1})
        elif ending in drawings and (svg := drawings[ending]()):
            response = HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
        else:
            raise Http404("There is no such file.")
    response["Content-Disposition"] = f'attachment; filename="{name}.{ending}"'
    return response
