"""Intervals of several kinds, a row of them a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..figures.line_panels import nice_ticks
from ..figures.svg import INK, QUIET, RAMP, SvgCanvas, text_width

WIDTH, ROW, APART = 420.0, 34.0, 13.0
COLOURS = (RAMP[4], QUIET)

Ends = tuple[float, float, float]
"""Estimate, low, high."""


def intervals(rows: Mapping[str, Sequence[Ends]], *, kinds: Sequence[str], title: str, x_label: str, note: str) -> str:
    """Of each name one line a kind, from low to high, with a dot at the estimate; the first row names the kinds.

    Args: rows: name -> as many intervals as there are kinds, two at most.
    """
    ends = [end for own in rows.values() for one in own for end in one]
    ticks = nice_ticks(min(ends), max(ends))
    span = ticks[-1] - ticks[0]
    left = max(text_width(name) for name in rows) + 36
    bottom = 52 + ROW * len(rows)
    beside = max(text_width(kind, 11) for kind in kinds) + 16
    width = max(left + WIDTH + beside, text_width(title, 15) + 48, text_width(note, 11) + 48)
    sheet = SvgCanvas(width, bottom + 62, title=title)
    sheet.words(24, 28, title, size=15, bold=True)
    for tick in ticks:
        x = left + WIDTH * (tick - ticks[0]) / span
        sheet.line(x, 46, x, bottom)
        sheet.words(x, bottom + 16, f"{tick:g}", size=11, colour=QUIET, anchor="middle")
    for place, (name, own) in enumerate(rows.items()):
        middle = 52 + ROW * (place + 0.5)
        sheet.words(left - 12, middle + 4, name, colour=INK, anchor="end")
        for kind, (colour, one) in enumerate(zip(COLOURS, own, strict=False)):
            y = middle + APART * (kind - (len(own) - 1) / 2)
            x, low, high = (left + WIDTH * (value - ticks[0]) / span for value in one)
            sheet.line(low, y, high, y, colour=colour, width=3 if kind == 0 else 1.5)
            sheet.dot(x, y, colour=colour, radius=4 if kind == 0 else 3)
            if place == 0:
                sheet.words(left + WIDTH + 8, y + 4, kinds[kind], size=11, colour=colour)
    sheet.words(left + WIDTH / 2, bottom + 34, x_label, size=11, colour=QUIET, anchor="middle")
    sheet.words(24, bottom + 54, note, size=11, colour=QUIET)
    return sheet.text()
