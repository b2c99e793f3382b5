"""A scatter of grades, a colour a query: over similarity or over ranks. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from desk.figures.drawing import SMALL, WIDTH
from desk.figures.inks import Inks
from evaluation.figures.svg import SvgCanvas, text_width
from foundation.counted import counted

MOST_NAMED = 20
"""Queries that are named below the figure; a longer key would help nobody."""
LANE = 0.64
"""The share of the distance between two grades that one grade's points take: each query has a height of its own."""


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    """A graded moment: `x` is its similarity or rank, `of` which of the queries, from 0."""

    x: float
    grade: int
    of: int


def scatter(
    points: Sequence[ScatterPoint],
    inks: Inks,
    *,
    title: str,
    x_label: str,
    names: Sequence[str],
    grades: range,
    unit: int = 1,
    marks: Sequence[int] = (),
    logarithmic: bool = False,
) -> str:
    """The points, grades upwards, equal ones apart by query; the queries' names and colours below.

    Args:
        names: of the queries, by `ScatterPoint.of`.
        grades: which are drawn, as classes that lie `unit` apart.
        marks: places on the axis that get a line with their number.
        logarithmic: whether x is a rank from 1 on, drawn by its logarithm, and not a similarity up to 1.
    """
    left, right, top, lane = 52.0, WIDTH - 24, 24.0, 64.0
    base = top + lane * len(grades)
    named = names if len(names) <= MOST_NAMED else ()
    rows = math.ceil(len(named) / 2)
    sheet = SvgCanvas(WIDTH, base + 84 + 18 * rows, title=title)
    low, high, ticks = _axis([point.x for point in points], marks, logarithmic)

    def across(value: float) -> float:
        place = math.log10(value) if logarithmic else value
        return left + 8 + (right - left - 16) * (place - low) / (high - low)

    for tick in ticks:
        label = f"{tick:,.0f}" if logarithmic else f"{tick:.1f}"
        sheet.words(across(tick), base + 18, label, size=SMALL, colour=inks.quiet, anchor="middle")
        sheet.line(across(tick), base, across(tick), base + 4, colour=inks.quiet)
    for mark in marks:
        sheet.line(across(mark), top - 8, across(mark), base, colour=inks.quiet)
        sheet.words(across(mark), top - 12, f"{mark:,}", size=SMALL, colour=inks.quiet, anchor="middle")
    for place, grade in enumerate(reversed(grades)):
        y = top + lane * (place + 0.5)
        sheet.words(left - 8, y + 4, str(grade * unit), colour=inks.ink, anchor="end")
        sheet.line(left, top + lane * (place + 1), right, top + lane * (place + 1), colour=inks.hair)
        for point in points:
            if point.grade == grade:
                apart = ((point.of + 0.5) / max(len(names), 1) - 0.5) * LANE * lane
                sheet.dot(across(point.x), y + apart, colour=inks.kind(point.of), radius=3)
    sheet.words(14, (top + base) / 2, "relevance", size=SMALL, colour=inks.quiet, anchor="middle", turned=-90)
    sheet.words((left + right) / 2, base + 40, x_label, size=SMALL, colour=inks.quiet, anchor="middle")
    for place, name in enumerate(named):
        x, y = left + (right - left) / 2 * (place // rows), base + 66 + 18 * (place % rows)
        sheet.dot(x + 4, y - 4, colour=inks.kind(place), radius=4)
        sheet.words(x + 14, y, _shortened(name, (right - left) / 2 - 24), size=SMALL, colour=inks.ink)
    sheet.words(
        right, base + 72 + 18 * rows, f"n = {counted(len(points), 'pair')}", size=SMALL, colour=inks.quiet, anchor="end"
    )
    return sheet.text()


def _axis(values: Sequence[float], marks: Sequence[int], logarithmic: bool) -> tuple[float, float, list[float]]:
    """The axis' ends (their logarithms, if it is logarithmic) and its ticks."""
    if logarithmic:
        high = math.log10(max([2.0, *values, *marks]))
        return 0.0, high, [10.0**power for power in range(math.floor(high) + 1)]
    low = math.floor(10 * min([0.8, *values])) / 10
    return low, 1.0, [round(low + step / 10, 1) for step in range(round((1 - low) * 10) + 1)]


def _shortened(text: str, width: float) -> str:
    most = int(width / text_width("m", SMALL))
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
