"""Coordinates of the small charts about people. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT, LEFT, TOP, BASE = 640, 150, 44, 14, 118
MIDDLE = (TOP + BASE) / 2
"""Where no difference is; the axis goes from -2 to 2."""
LABEL_WIDTH = 72.0
"""Weeks' labels are at least so far apart, in SVG units."""
MOST_WEEKS = 104


@dataclass(frozen=True, slots=True)
class Mark:
    """A week's bar and point in SVG units; `point` None where nobody was met."""

    begins: str
    judgments: int
    difference: float | None
    x: float
    y: float
    width: float
    height: float
    centre: float
    point: float | None
    label: str


@dataclass(frozen=True, slots=True)
class WeeksChart:
    """Judgments a week as bars; below them, on an axis of its own, the mean difference from partners as points.

    `ticks` and `gaps` are the two axes: (value, y). `judgments`: of all weeks shown.
    """

    marks: list[Mark]
    judgments: int
    lines: list[str]
    ticks: list[tuple[int, float]]
    gaps: list[tuple[str, float]]


def weeks_chart(weeks: Sequence[Mapping[str, Any]], unit: int) -> WeeksChart:
    """Place the newest weeks. Differences go from -2 to 2 units, further ones stand at the edge."""
    shown = weeks[-MOST_WEEKS:]
    ticks = ticks_up_to(max((week["figures"]["judgments"] for week in shown), default=0))
    slot = min((WIDTH - LEFT) / max(len(shown), 1), 80.0)
    every = max(1, math.ceil(LABEL_WIDTH / slot))
    marks = []
    lines: list[list[str]] = [[]]
    for place, week in enumerate(shown):
        figures = week["figures"]
        x, height = LEFT + place * slot, (BASE - TOP) * figures["judgments"] / ticks[-1]
        gap = figures["difference"]
        point = None if gap is None else round(_at(gap / unit), 1)
        centre = round(x + slot / 2, 1)
        if point is None:
            lines.append([])
        else:
            lines[-1].append(f"{centre},{point}")
        marks.append(
            Mark(
                begins=str(week["begins"]),
                judgments=figures["judgments"],
                difference=gap,
                x=round(x + slot * 0.1, 1),
                y=round(BASE - height, 1),
                width=round(slot * 0.8, 1),
                height=round(height, 1),
                centre=centre,
                point=point,
                label=str(week["begins"])[5:] if (len(shown) - 1 - place) % every == 0 else "",
            )
        )
    return WeeksChart(
        marks,
        sum(mark.judgments for mark in marks),
        [" ".join(line) for line in lines if len(line) > 1],
        [(tick, round(BASE - (BASE - TOP) * tick / ticks[-1], 1)) for tick in ticks],
        [(f"{gap * unit:+d}".replace("-", "\u2212") if gap else "0", _at(gap)) for gap in (2, 1, 0, -1, -2)],
    )


def _at(gap: float) -> float:
    return MIDDLE - max(-2.0, min(2.0, gap)) * (BASE - TOP) / 4


def ticks_up_to(most: int) -> list[int]:
    """Two to five round values of an axis from 0, evenly apart; the last is at least `most`, and at least 1.

    >>> ticks_up_to(210), ticks_up_to(7), ticks_up_to(0)
    ([0, 100, 200, 300], [0, 2, 4, 6, 8], [0, 1])
    """
    step, digit = 1, 0
    while step * 4 < most:
        step, digit = step * (2, 5, 10)[digit] // (1, 2, 5)[digit], (digit + 1) % 3
    return [step * place for place in range(max(1, -(-most // step)) + 1)]


def shares(grades: Sequence[int], unit: int) -> list[tuple[int, int, float]]:
    """A stacked bar of grades, or classes that lie `unit` apart: (grade, count, percent) of those that occur."""
    total = sum(grades)
    return [(place * unit, count, round(100 * count / total, 2)) for place, count in enumerate(grades) if count]
