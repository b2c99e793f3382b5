"""Escape CSV cells that a spreadsheet would run as formulas."""

from collections.abc import Iterable
from typing import Any

BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula with an apostrophe before it; anything else as it is.

    >>> safe_cell("=1+1"), safe_cell("w01"), safe_cell(-0.5)
    ("'=1+1", 'w01', -0.5)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(BEGIN_FORMULAS) else value


def safe_row(cells: Iterable[Any]) -> list[Any]:
    """The same of a whole row."""
    return [safe_cell(cell) for cell in cells]
