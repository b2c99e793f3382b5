"""Horizontal bars in groups, for shares and other amounts that are read by their size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..figures.line_panels import nice_ticks
from ..figures.svg import QUIET, RAMP, SvgCanvas, text_width

WIDTH, BAR, GAP = 360.0, 16.0, 14.0


def bars(groups: Mapping[str, Sequence[tuple[str, float]]], *, title: str, x_label: str, note: str) -> str:
    """One bar per (label, value), the value written at its end; groups one below the other under their headings.

    Args: values >= 0; NaN has no bar.
    """
    rows = [row for group in groups.values() for row in group]
    ticks = nice_ticks(0.0, max((value for _, value in rows if math.isfinite(value)), default=1.0))
    left = max(text_width(label) for label, _ in rows) + 36
    height = 64 + sum(26 + (BAR + 4) * len(group) + GAP for group in groups.values())
    width = max(left + WIDTH + 70, text_width(title, 15) + 48, text_width(note, 11) + 48)
    sheet = SvgCanvas(width, height + 62, title=title)
    sheet.words(24, 28, title, size=15, bold=True)
    for tick in ticks:
        x = left + WIDTH * tick / ticks[-1]
        sheet.line(x, 52, x, height)
        sheet.words(x, height + 16, f"{tick:g}", size=11, colour=QUIET, anchor="middle")
    y = 52.0
    for heading, group in groups.items():
        sheet.words(24, y + 14, heading, size=13, bold=True)
        y += 26
        for label, value in group:
            sheet.words(left - 8, y + BAR - 4, label, anchor="end")
            if math.isfinite(value):
                long = WIDTH * value / ticks[-1]
                sheet.box(left, y, long, BAR, colour=RAMP[3])
                sheet.words(left + long + 6, y + BAR - 4, f"{value:.3f}", size=11)
            y += BAR + 4
        y += GAP
    sheet.words(left + WIDTH / 2, height + 34, x_label, size=11, colour=QUIET, anchor="middle")
    sheet.words(24, height + 54, note, size=11, colour=QUIET)
    return sheet.text()
