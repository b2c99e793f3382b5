"""Coordinates of the overview's chart: judgments per day."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.people.charts import ticks_up_to
from desk.pace import Day

WIDTH, HEIGHT = 600, 120
LEFT, TOP, BASE = 44, 14, 98


@dataclass(frozen=True, slots=True)
class DayBar:
    """A day's bar in SVG units; `said` is its tooltip, `label` what stands under it, if anything."""

    x: float
    y: float
    width: float
    height: float
    said: str
    label: str

    @property
    def right(self) -> float:
        return round(self.x + self.width, 1)


@dataclass(frozen=True, slots=True)
class DayChart:
    """The chart: `ticks` are (value, y) with the top one at or above the highest bar."""

    width: int
    height: int
    base: int
    left: int
    bars: list[DayBar]
    ticks: list[tuple[int, float]]


def day_chart(days: Sequence[Day]) -> DayChart:
    """Lay out the bars; a day with a judgment keeps a visible sliver. Every seventh day from the last is labelled."""
    values = ticks_up_to(max((day.judgments for day in days), default=0))
    top = values[-1]
    slot = (WIDTH - LEFT) / max(len(days), 1)
    bars = []
    for place, day in enumerate(days):
        height = max(day.judgments / top * (BASE - TOP), 1.5) if day.judgments else 0.0
        bars.append(
            DayBar(
                x=round(LEFT + place * slot + slot * 0.1, 1),
                y=round(BASE - height, 1),
                width=round(slot * 0.8, 1),
                height=round(height, 1),
                said=f"{day.day.isoformat()}: {day.judgments:,}",
                label=day.day.strftime("%m-%d") if (len(days) - 1 - place) % 7 == 0 else "",
            )
        )
    ticks = [(value, round(BASE - value / top * (BASE - TOP), 1)) for value in values]
    return DayChart(WIDTH, HEIGHT, BASE, LEFT, bars, ticks)
