"""Escape CSV cells that a spreadsheet would run as formulas."""

from collections.abc import Iterable
from typing import Any

BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(value: Any) -> Any:
    """The cell, with an apostrophe before a text that a spreadsheet would run as a formula.

    >>> safe_cell("=1+1"), safe_cell("w01"), safe_cell(-0.5)
    ("'=1+1", 'w01', -0.5)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(BEGIN_FORMULAS) else value


def safe_row(cells: Iterable[Any]) -> list[Any]:
    """`safe_cell` of every cell of a row."""
    return [safe_cell(cell) for cell in cells]
