"""Coordinates of the small charts about people. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT, BASE = 640, 150, 124
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


@dataclass(frozen=True, slots=True)
class WeeksChart:
    """Judgments a week as bars; below them, on an axis of its own, the mean difference from partners as points."""

    marks: list[Mark]
    most: int
    lines: list[str]


def weeks_chart(weeks: Sequence[Mapping[str, Any]]) -> WeeksChart:
    """Place the newest weeks. Differences go from -2 to 2, further ones stand at the edge."""
    shown = weeks[-MOST_WEEKS:]
    most = max((week["figures"]["judgments"] for week in shown), default=0)
    slot = min(WIDTH / max(len(shown), 1), 48.0)
    marks = []
    lines: list[list[str]] = [[]]
    for place, week in enumerate(shown):
        figures = week["figures"]
        x, height = place * slot, (BASE - 20) * figures["judgments"] / max(most, 1)
        gap = figures["difference"]
        point = None if gap is None else round(HEIGHT / 2 - max(-2.0, min(2.0, gap)) * (HEIGHT / 2 - 10) / 2, 1)
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
            )
        )
    return WeeksChart(marks, most, [" ".join(line) for line in lines if len(line) > 1])


def shares(grades: Sequence[int]) -> list[tuple[int, int, float]]:
    """A stacked bar of grades: (grade, count, percent), those that never occur left out."""
    total = sum(grades)
    return [(grade, count, round(100 * count / total, 2)) for grade, count in enumerate(grades) if count]
