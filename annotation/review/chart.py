"""Coordinates of the review chart: bars in rank order, raw grades as dots, similarity as a line."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from annotation.review.selectors import ReviewedPair
from evaluation.judgments.grade_classes import unit_of

WIDTH, HEIGHT = 800, 224
LEFT, RIGHT, TOP, BASE = 28, 28, 26, 192


@dataclass(frozen=True, slots=True)
class CandidateBar:
    """One candidate's bar in SVG units; `grade` None is drawn hollow over its raw grades, or crossed when withdrawn.

    `left` and `slot` are the whole of its place, for the pointer.
    """

    rank: int
    grade: int | None
    status: str
    left: float
    slot: float
    x: float
    y: float
    width: float
    height: float
    centre: float
    dots: list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Chart:
    """The whole chart: `lines` are the similarity's polylines, broken where a candidate has none, with its axis in
    `similarities`; empty where nobody has one. `tail` is the bracket's start and end, if any."""

    width: int
    height: int
    base: int
    bars: list[CandidateBar]
    lines: list[str]
    tail: tuple[float, float] | None
    ticks: list[tuple[int, float]]
    similarities: list[tuple[str, float]]


def review_chart(rows: Sequence[ReviewedPair], top_grade: int = 4) -> Chart:
    """Lay out the chart, as high as the scale. A grade of 0 keeps a sliver, so that it doesn't look like a missing
    one."""
    step = (BASE - TOP) / top_grade
    slot = (WIDTH - LEFT - RIGHT) / max(len(rows), 1)
    bars = []
    for place, row in enumerate(rows):
        x = LEFT + place * slot
        height = max((row.grade if row.grade is not None else top_grade) * step, 3)
        seen: dict[int, int] = {}
        dots = []
        for grade in row.judgments:
            shift = seen[grade] = seen.get(grade, -1) + 1
            dots.append((round(x + slot * 0.3 + shift * 7, 1), round(BASE - grade * step, 1)))
        bars.append(
            CandidateBar(
                rank=row.rank,
                grade=row.grade,
                status=row.status,
                left=round(x, 1),
                slot=round(slot, 1),
                x=round(x + slot * 0.12, 1),
                y=round(BASE - height, 1),
                width=round(slot * 0.76, 1),
                height=round(height, 1),
                centre=round(x + slot / 2, 1),
                dots=dots,
            )
        )
    points = [
        () if row.similarity is None else (bar.centre, round(BASE - max(row.similarity, 0) * (BASE - TOP), 1))
        for bar, row in zip(bars, rows, strict=True)
    ]
    lines = [_line([*stretch]) for known, stretch in groupby(points, bool) if known]
    tail = [bar for bar, row in zip(bars, rows, strict=True) if row.in_tail]
    return Chart(
        width=WIDTH,
        height=HEIGHT,
        base=BASE,
        bars=bars,
        lines=lines,
        tail=(tail[0].x, tail[-1].x + tail[-1].width) if tail else None,
        ticks=[(grade, round(BASE - grade * step, 1)) for grade in range(0, top_grade + 1, unit_of(top_grade))],
        similarities=[(f"{value:g}", round(BASE - value * (BASE - TOP), 1)) for value in (0, 0.5, 1.0) if lines],
    )


def _line(points: list[tuple[float, ...]]) -> str:
    """A polyline through points (x, y); one alone is a dash."""
    if len(points) == 1:
        x, y = points[0]
        points = [(x - 3, y), (x + 3, y)]
    return " ".join(f"{x},{y}" for x, y in points)
