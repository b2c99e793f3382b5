"""Where the marks of the review chart stand: bars in rank order, raw grades as dots, similarity as a line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

WIDTH, HEIGHT = 800, 210
LEFT, TOP, BASE = 28, 12, 178
STEP = (BASE - TOP) / 4


class Row(Protocol):
    """What the chart needs of a pair."""

    rank: int
    similarity: float
    grade: int | None
    judgments: list[int]
    in_tail: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """One candidate's bar in SVG units; `grade` None is drawn hollow over its raw grades."""

    rank: int
    grade: int | None
    x: float
    y: float
    width: float
    height: float
    centre: float
    dots: list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Chart:
    """The whole chart: `line` is the similarity's polyline, `tail` the bracket's start and end, if any."""

    width: int
    height: int
    base: int
    bars: list[Bar]
    line: str
    tail: tuple[float, float] | None
    ticks: list[tuple[int, float]]


def review_chart(rows: Sequence[Row]) -> Chart:
    """Place the rows' bars. A grade of 0 keeps a sliver, so that it can't be taken for a missing one."""
    slot = (WIDTH - LEFT) / max(len(rows), 1)
    bars = []
    for place, row in enumerate(rows):
        x = LEFT + place * slot
        height = max((row.grade if row.grade is not None else 4) * STEP, 3)
        seen: dict[int, int] = {}
        dots = []
        for grade in row.judgments:
            shift = seen[grade] = seen.get(grade, -1) + 1
            dots.append((round(x + slot * 0.3 + shift * 7, 1), round(BASE - grade * STEP, 1)))
        bars.append(
            Bar(
                rank=row.rank,
                grade=row.grade,
                x=round(x + slot * 0.12, 1),
                y=round(BASE - height, 1),
                width=round(slot * 0.76, 1),
                height=round(height, 1),
                centre=round(x + slot / 2, 1),
                dots=dots,
            )
        )
    line = " ".join(
        f"{bar.centre},{round(BASE - max(row.similarity, 0) * (BASE - TOP), 1)}"
        for bar, row in zip(bars, rows, strict=True)
    )
    tail = [bar for bar, row in zip(bars, rows, strict=True) if row.in_tail]
    return Chart(
        width=WIDTH,
        height=HEIGHT,
        base=BASE,
        bars=bars,
        line=line,
        tail=(tail[0].x, tail[-1].x + tail[-1].width) if tail else None,
        ticks=[(grade, round(BASE - grade * STEP, 1)) for grade in range(5)],
    )
