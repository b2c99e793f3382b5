"""Rows of CSV and TSV files, each with the line where it begins."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from ..errors import Faults, InputError


def delimiter_of(header: str) -> str:
    """What separates columns: a tab where the header has tabs and no commas, else a comma."""
    return "\t" if "\t" in header and "," not in header else ","


def csv_rows(path: Path, lines: Iterable[str], faults: Faults) -> Iterator[tuple[int, list[str]]]:
    """The header of a CSV file, then its rows, each with the line where it begins.

    All have as many cells as the header; what can't be read is added to `faults`, in the name of `path`.
    """
    source = iter(lines)
    before = columns = 0
    try:
        first = next(source, "")
        rows = csv.reader(chain([first], source), strict=True, delimiter=delimiter_of(first))
        for cells in rows:
            line, before = before + 1, rows.line_num
            columns = columns or len(cells)
            if cells and len(cells) == columns:
                yield line, cells
            elif cells:
                found, expected = f"{len(cells)} columns", f"{columns}, as the header has"
                fault = InputError(path, f"line {line}", found=found, expected=expected, field="columns")
                fault.value = str(len(cells))
                faults.add(fault)
    except csv.Error as error:
        expected = "quotation marks that close, and no NUL"
        faults.add(InputError(path, f"line {before + 1}", field="CSV", value=str(error), expected=expected))
