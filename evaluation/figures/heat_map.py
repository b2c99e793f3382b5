"""A square of agreement values."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..arrays import FloatArray
from ..figures.svg import QUIET, SvgCanvas, ink_on, shade, text_width

CELL = 46
BELOW_0 = "#94321f"
"""The red of a loss, darker, so that it is read on the ramp's lightest."""


def heat_map(values: FloatArray, labels: Sequence[str], *, title: str, note: str) -> str:
    """Cells coloured by the ramp from 0 to 1, their values written in; below 0 in red on the lightest.

    Args: values: shape (n, n), in [-1, 1]; NaN leaves a cell empty.
    """
    left = max(text_width(label) for label in labels) + 24
    top = 64 + max(text_width(label) for label in labels) * 0.72
    # The last slanted label leans out over the square's right edge.
    width = left + CELL * len(labels) + max(text_width(label) for label in labels) * 0.75 + 16
    width = max(width, text_width(title, 15) + 48, text_width(note, 11) + 48)
    sheet = SvgCanvas(width, top + CELL * len(labels) + 48, title=title)
    sheet.words(24, 28, title, size=15, bold=True)
    for i, label in enumerate(labels):
        middle = CELL * i + CELL / 2
        sheet.words(left - 8, top + middle + 4, label, anchor="end")
        sheet.words(left + middle, top - 8, label, turned=-45)
        for j in range(len(labels)):
            value = float(values[i, j])
            if math.isnan(value):
                continue
            colour = shade(value)
            x, y = left + CELL * j, top + CELL * i
            sheet.box(x + 0.5, y + 0.5, CELL - 1, CELL - 1, colour=colour)
            ink = BELOW_0 if value < 0 else ink_on(colour)
            sheet.words(x + CELL / 2, y + CELL / 2 + 4, f"{value:.2f}", anchor="middle", colour=ink)
    sheet.words(24, top + CELL * len(labels) + 28, note, size=11, colour=QUIET)
    return sheet.text()
