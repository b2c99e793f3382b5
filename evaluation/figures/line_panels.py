"""Lines in small panels, which share their axes unless each needs a height of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..figures.svg import HAIR, INK, QUIET, RAMP, SvgCanvas, text_width

PANEL_WIDTH, PANEL_HEIGHT = 300.0, 190.0
STUB = 16.0
_DASHES = ("", "6 3", "2 3", "9 3 2 3")


@dataclass(frozen=True)
class PlotLine:
    """One line: its label and its points (x, y); points that are NaN are left out."""

    label: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """One panel: its heading and its lines, from least to most (they are coloured by the ramp)."""

    heading: str
    lines: Sequence[PlotLine]


def line_panels(
    panels: Sequence[Panel],
    *,
    title: str,
    x_label: str,
    y_label: str,
    note: str,
    from_zero: bool = False,
    across: int = 2,
    x_names: Sequence[str] = (),
    own_heights: bool = False,
) -> str:
    """Panels in rows, all with the same axes, lines labelled at their ends.

    ``own_heights`` gives each panel a y axis of its own, for panels of different things. ``from_zero`` starts the y
    axis at 0 or below, for amounts that are read by their size. ``x_names`` are what stands at x = 0, 1, 2 ... where x
    is no number.
    """
    points = [p for panel in panels for line in panel.lines for p in line.points if math.isfinite(p[1])]
    named = [float(place) for place in range(max(2, len(x_names)))]
    xs = named if x_names else nice_ticks(min(x for x, _ in points), max(x for x, _ in points))
    heights = []
    for panel in panels:
        own = [y for line in panel.lines for _, y in line.points if math.isfinite(y)] if own_heights else []
        shown = own or [y for _, y in points]
        heights.append(nice_ticks(min([0.0, *shown] if from_zero else shown), max(shown)))
    room = max(text_width(line.label, 11) for panel in panels for line in panel.lines) + STUB + 26
    across = min(across, len(panels))
    down = math.ceil(len(panels) / across)
    drop = max((0.6 * text_width(name, 11) for name in x_names), default=0.0)  # slanted names hang down
    cell_width, cell_height = 62 + PANEL_WIDTH + room, PANEL_HEIGHT + 84 + drop
    width = max(across * cell_width + 24, text_width(title, 15) + 48, text_width(note, 11) + 48)
    sheet = SvgCanvas(width, 48 + down * cell_height + 28, title=title)
    sheet.words(24, 28, title, size=15, bold=True)
    for i, panel in enumerate(panels):
        left, top = (i % across) * cell_width + 70, 48 + (i // across) * cell_height + 28
        _panel(sheet, panel, left, top, xs, heights[i], x_names)
        middle = top + PANEL_HEIGHT / 2
        sheet.words(left - 46, middle, y_label, size=11, colour=QUIET, anchor="middle", turned=-90)
        below = top + PANEL_HEIGHT + 36 + drop
        sheet.words(left + PANEL_WIDTH / 2, below, x_label, size=11, colour=QUIET, anchor="middle")
    sheet.words(24, 48 + down * cell_height + 14, note, size=11, colour=QUIET)
    return sheet.text()


def _panel(
    sheet: SvgCanvas,
    panel: Panel,
    left: float,
    top: float,
    xs: Sequence[float],
    ys: Sequence[float],
    x_names: Sequence[str],
) -> None:
    def at(x: float, y: float) -> tuple[float, float]:
        return (
            left + PANEL_WIDTH * (x - xs[0]) / (xs[-1] - xs[0]),
            top + PANEL_HEIGHT * (1 - (y - ys[0]) / (ys[-1] - ys[0])),
        )

    bottom = top + PANEL_HEIGHT
    sheet.words(left, top - 12, panel.heading, size=13, bold=True)
    for y in ys:
        sheet.line(left, at(xs[0], y)[1], left + PANEL_WIDTH, at(xs[0], y)[1])
        sheet.words(left - 8, at(xs[0], y)[1] + 4, f"{y:g}", size=11, colour=QUIET, anchor="end")
    for x in xs:
        place = at(x, 0)[0]
        sheet.line(place, bottom, place, bottom + 4, colour=HAIR)
        if not x_names:
            sheet.words(place, bottom + 18, f"{x:,g}", size=11, colour=QUIET, anchor="middle")
        elif int(x) < len(x_names):
            sheet.words(place + 4, bottom + 16, x_names[int(x)], size=11, colour=QUIET, anchor="end", turned=-35)
    ends: list[tuple[float, int]] = []
    for number, line in enumerate(panel.lines):
        colour, dash = _style(number)
        drawn = [at(x, y) for x, y in line.points if math.isfinite(y)]
        sheet.path(drawn, colour=colour, dash=dash)
        if len(drawn) <= 6:
            for x, y in drawn:
                sheet.dot(x, y, colour=colour)
        if drawn:
            ends.append((drawn[-1][1], number))
    ends.sort()
    spots = spread([y for y, _ in ends], 13)
    lift = max(0.0, spots[-1] - bottom) if spots else 0.0  # labels stay clear of the x axis
    for spot, (_, number) in zip(spots, ends, strict=True):
        # A stub of the line itself: where lines end together, their order alone tells nothing.
        colour, dash = _style(number)
        right, y = left + PANEL_WIDTH + 8, spot - lift
        sheet.path([(right, y), (right + STUB, y)], colour=colour, dash=dash)
        sheet.words(right + STUB + 6, y + 4, panel.lines[number].label, size=11, colour=INK)


def _style(number: int) -> tuple[str, str]:
    """Colour and dashes of a panel's line: the ramp without its two lightest steps, which vanish as lines."""
    return RAMP[2 + number % 3], _DASHES[(number // 3) % len(_DASHES)]


def spread(places: Sequence[float], least: float) -> list[float]:
    """Push ascending places apart until neighbours keep their distance, moving them as little as is easy.

    >>> spread([10, 11, 40], 10)
    [5.5, 15.5, 40.0]
    """
    groups: list[list[float]] = []
    for place in places:
        groups.append([place])
        while len(groups) > 1 and _spot(groups[-1], least)[0] - _spot(groups[-2], least)[-1] < least:
            last = groups.pop()
            groups[-1] += last
    return [spot for group in groups for spot in _spot(group, least)]


def _spot(group: Sequence[float], least: float) -> list[float]:
    start = sum(group) / len(group) - least * (len(group) - 1) / 2
    return [float(start + least * i) for i in range(len(group))]


def nice_ticks(low: float, high: float) -> list[float]:
    """Round numbers, about five, that enclose low..high.

    >>> nice_ticks(0.13, 0.92)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    if high - low < 1e-12:
        room = max(0.5 * abs(low), 0.5)
        low, high = low - room, high + room
    rough = (high - low) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if rough <= power * factor * (1 + 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]
