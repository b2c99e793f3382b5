"""Plain-text tables with right-aligned numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns aligned under their heads, the first to the left and the others to the right.

    >>> print(table(["run", "R@1"], [["a", "0.5000"], ["longer", "0.2500"]]))
    run        R@1
    a       0.5000
    longer  0.2500
    """
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = []
    for row in [head, *rows]:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def figure(value: float, digits: int = 4) -> str:
    """A number with fixed digits; a dash for what is not defined.

    >>> figure(0.5), figure(float("nan"))
    ('0.5000', '-')
    """
    return "-" if math.isnan(value) else f"{value:.{digits}f}"
