"""Kinds of drawings: grades over an axis, matrix, columns, shares, intervals. Pure.

Lengths are in pixels. No frame and no title in the picture: a paper has its caption, the page its heading. n is said.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from desk.figures.inks import Inks
from evaluation.figures.svg import SvgCanvas, text_width
from foundation.counted import counted

WIDTH = 640.0
SMALL = 11


@dataclass(frozen=True, slots=True)
class GradeColumn:
    """A position on the axis: label, number of pairs by grade, mean grade."""

    label: str
    counts: Sequence[int]
    mean: float | None


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its interval; None isn't drawn."""

    label: str
    value: float | None
    low: float | None
    high: float | None
    n: int


def grades_along(
    columns: Sequence[GradeColumn],
    inks: Inks,
    *,
    title: str,
    x_label: str,
    n: int,
    every: int = 1,
    apart: int = 0,
    unit: int = 1,
) -> str:
    """Mean grade above, the share of each grade below, over one axis.

    Columns are evenly spaced; one without pairs stays empty. Each `every`-th label is written, counted from the last.
    The line of means leaves out the last `apart` columns. Counts are of classes of grades that lie `unit` apart.
    """
    left, right, top_grade = 52.0, WIDTH - 76, len(columns[0].counts) - 1 if columns else 4
    mean_top, mean_base, top, base = 16.0, 136.0, 168.0, 348.0
    sheet = SvgCanvas(WIDTH, base + 68, title=title)
    slot = (right - left) / max(len(columns), 1)
    for grade in range(top_grade + 1):
        y = mean_base - (mean_base - mean_top) * grade / top_grade
        sheet.line(left, y, right, y, colour=inks.hair)
        sheet.words(left - 8, y + 4, str(grade * unit), size=SMALL, colour=inks.quiet, anchor="end")
    sheet.words(
        14,
        (mean_top + mean_base) / 2,
        gettext("mean grade"),
        size=SMALL,
        colour=inks.quiet,
        anchor="middle",
        turned=-90,
    )
    sheet.words(
        14, (top + base) / 2, gettext("share of pairs, %"), size=SMALL, colour=inks.quiet, anchor="middle", turned=-90
    )
    for share in (0, 25, 50, 75, 100):
        y = base - (base - top) * share / 100
        sheet.line(left - 4, y, left, y, colour=inks.hair)
        sheet.words(left - 8, y + 4, str(share), size=SMALL, colour=inks.quiet, anchor="end")
    means: list[tuple[int, float, float]] = []
    for place, column in enumerate(columns):
        x, pairs, y = left + place * slot, sum(column.counts), base
        for grade, count in enumerate(column.counts):
            height = (base - top) * count / pairs if pairs else 0.0
            if count:
                y -= height
                sheet.box(x + slot * 0.08, y, slot * 0.84, height, colour=inks.grade(grade, top_grade))
        if (len(columns) - 1 - place) % every == 0:
            sheet.words(x + slot / 2, base + 18, column.label, size=SMALL, colour=inks.quiet, anchor="middle")
        if column.mean is not None:
            means.append((place, x + slot / 2, mean_base - (mean_base - mean_top) * column.mean / (top_grade * unit)))
    joined = [(x, y) for place, x, y in means if place < len(columns) - apart]
    sheet.path(joined, colour=inks.strong, width=1.5)
    for _, x, y in means:
        sheet.dot(x, y, colour=inks.strong, radius=2.5)
    # The key: the ramp as a strip, highest on top as in the columns.
    for grade in range(top_grade + 1):
        height = (base - top) / (top_grade + 1)
        y = base - (grade + 1) * height
        sheet.box(right + 16, y, 20, height - 1, colour=inks.grade(grade, top_grade))
        sheet.words(right + 42, y + height / 2 + 4, str(grade * unit), size=SMALL, colour=inks.ink)
    sheet.words(right + 16, top - 8, "grade", size=SMALL, colour=inks.quiet)
    sheet.words((left + right) / 2, base + 40, x_label, size=SMALL, colour=inks.quiet, anchor="middle")
    sheet.words(right, base + 60, f"n = {counted(n, 'pair')}", size=SMALL, colour=inks.quiet, anchor="end")
    return sheet.text()


def matrix(
    values: Sequence[Sequence[int]], inks: Inks, *, title: str, row_label: str, column_label: str, unit: int = 1
) -> str:
    """A square of counts, each cell with its share and its count; the darkest is the most frequent.

    Args: values: [column][row], both classes of grades that lie `unit` apart; rows go down from 0. Cells with a row
        less than their column, where there can be nothing, stay empty.
    """
    size, left, top = 84.0, 76.0, 24.0
    total, most = sum(map(sum, values)), max(map(max, values)) or 1
    edge = size * len(values)
    sheet = SvgCanvas(left + edge + 24, top + edge + 76, title=title)
    sheet.words(left + edge / 2, top + edge + 42, column_label, size=SMALL, colour=inks.quiet, anchor="middle")
    sheet.words(20, top + edge / 2, row_label, size=SMALL, colour=inks.quiet, anchor="middle", turned=-90)
    for i, column in enumerate(values):
        sheet.words(left - 12, top + size * (i + 0.5) + 4, str(i * unit), colour=inks.ink, anchor="end")
        sheet.words(left + size * (i + 0.5), top + edge + 20, str(i * unit), colour=inks.ink, anchor="middle")
        for j, count in enumerate(column):
            if j < i:
                continue
            # The root lets the rarer cells be told apart: their counts lie orders apart.
            share = (count / most) ** 0.5
            x, y = left + size * i, top + size * j
            sheet.box(x + 1, y + 1, size - 2, size - 2, colour=inks.shade(share))
            shown, colour = percent(count, total), inks.on(share)
            sheet.words(x + size / 2, y + size / 2, shown, colour=colour, anchor="middle", bold=True)
            sheet.words(x + size / 2, y + size / 2 + 18, f"{count:,}", size=SMALL, colour=colour, anchor="middle")
    sheet.words(
        left + edge, top + edge + 64, f"n = {counted(total, 'pair')}", size=SMALL, colour=inks.quiet, anchor="end"
    )
    return sheet.text()


def grade_columns(counts: Sequence[int], inks: Inks, *, title: str, unit: int = 1) -> str:
    """One column a class of grades, which lie `unit` apart, its count and share above it."""
    left, right, top, base = 24.0, WIDTH - 24, 48.0, 268.0
    total, most, top_grade = sum(counts), max(counts, default=0) or 1, len(counts) - 1
    sheet = SvgCanvas(WIDTH, base + 64, title=title)
    slot = (right - left) / len(counts)
    for grade, count in enumerate(counts):
        x, height = left + grade * slot, (base - top) * count / most
        sheet.box(x + slot * 0.12, base - height, slot * 0.76, height, colour=inks.grade(grade, top_grade))
        sheet.words(x + slot / 2, base - height - 22, f"{count:,}", colour=inks.ink, anchor="middle", bold=True)
        label = percent(count, total)
        sheet.words(x + slot / 2, base - height - 7, label, size=SMALL, colour=inks.quiet, anchor="middle")
        sheet.words(x + slot / 2, base + 18, str(grade * unit), colour=inks.ink, anchor="middle")
    sheet.line(left, base, right, base, colour=inks.hair)
    sheet.words((left + right) / 2, base + 40, "grade", size=SMALL, colour=inks.quiet, anchor="middle")
    sheet.words(right, base + 56, f"n = {counted(total, 'pair')}", size=SMALL, colour=inks.quiet, anchor="end")
    return sheet.text()


def stacked_rows(rows: Sequence[tuple[str, Sequence[int]]], parts: Sequence[str], inks: Inks, *, title: str) -> str:
    """One bar a row, split into parts by their share of it, the parts named above the first."""
    left = max([text_width(name) for name, _ in rows], default=0.0) + 40
    right, step, top = WIDTH - 24, 44.0, 48.0
    sheet = SvgCanvas(WIDTH, top + step * len(rows) + 12 + 18 * len(parts) + 16, title=title)
    shades = [1.0, 0.5, 0.0] if len(parts) == 3 else [1 - i / max(len(parts) - 1, 1) for i in range(len(parts))]
    for share in (0, 25, 50, 75, 100):
        x = left + (right - left) * share / 100
        sheet.line(x, top - 12, x, top + step * len(rows) - 8, colour=inks.hair)
        sheet.words(x, top - 20, f"{share} %", size=SMALL, colour=inks.quiet, anchor="middle")
    for place, (name, counts) in enumerate(rows):
        y, x, total = top + place * step, left, sum(counts)
        sheet.words(left - 12, y + 18, name, colour=inks.ink, anchor="end")
        for shade, count in zip(shades, counts, strict=True):
            width = (right - left) * count / total if total else 0.0
            sheet.box(x, y, max(width - 1, 0.0), 26, colour=inks.shade(shade))
            label = percent(count, total)
            if width > text_width(label, SMALL) + 8:
                sheet.words(x + 8, y + 17, label, size=SMALL, colour=inks.on(shade))
            x += width
    y = top + step * len(rows) + 16
    for place, (part, shade) in enumerate(zip(parts, shades, strict=True)):
        by_row = ", ".join(f"{name} {counts[place]:,} ({percent(counts[place], sum(counts))})" for name, counts in rows)
        sheet.box(left, y + 18 * place - 9, 10, 10, colour=inks.shade(shade))
        sheet.words(left + 18, y + 18 * place, f"{part}: {by_row}", size=SMALL, colour=inks.ink)
    return sheet.text()


def counted_rows(
    rows: Sequence[tuple[str, Sequence[int]]], parts: Sequence[str], inks: Inks, *, title: str, x_label: str
) -> str:
    """One bar per row with its length by count, split into parts that are named below."""
    left = max([text_width(name, SMALL) for name, _ in rows], default=0.0) + 24
    right, step, top = WIDTH - 44, 24.0, 16.0
    longest = max([sum(counts) for _, counts in rows], default=0) or 1
    base = top + step * len(rows)
    sheet = SvgCanvas(WIDTH, base + 76, title=title)
    shades = [1 - i / max(len(parts) - 1, 1) for i in range(len(parts))]
    every = max(1, -(-longest // 8))
    for tick in range(0, longest + 1, every):
        x = left + (right - left) * tick / longest
        sheet.line(x, top - 4, x, base, colour=inks.hair)
        sheet.words(x, base + 16, str(tick), size=SMALL, colour=inks.quiet, anchor="middle")
    for place, (name, counts) in enumerate(rows):
        y, x = top + place * step, left
        sheet.words(left - 12, y + 14, name, size=SMALL, colour=inks.ink, anchor="end")
        for shade, count in zip(shades, counts, strict=True):
            width = (right - left) * count / longest
            if count:
                sheet.box(x, y + 2, max(width - 1, 0.5), step - 6, colour=inks.shade(shade))
            x += width
        sheet.words(x + 6, y + 14, f"{sum(counts):,}", size=SMALL, colour=inks.quiet)
    sheet.words((left + right) / 2, base + 36, x_label, size=SMALL, colour=inks.quiet, anchor="middle")
    x = 24.0
    for place, (part, shade) in enumerate(zip(parts, shades, strict=True)):
        entry = f"{part}: {sum(counts[place] for _, counts in rows):,}"
        sheet.box(x, base + 51, 10, 10, colour=inks.shade(shade))
        sheet.words(x + 16, base + 60, entry, size=SMALL, colour=inks.ink)
        x += 16 + text_width(entry, SMALL) + 20
    return sheet.text()


def intervals(groups: Sequence[Sequence[Interval]], inks: Inks, *, title: str, x_label: str, n_of: str) -> str:
    """A dot and its interval a row, groups with a gap between them, from 0 (or the lowest) to 1."""
    rows = [row for group in groups for row in group]
    left = max([text_width(row.label) for row in rows], default=0.0) + 32
    right, step, top = WIDTH - 104, 20.0, 28.0
    known = [value for row in rows for value in (row.value, row.low) if value is not None]
    lowest = min([0.0, *known])
    start = -1.0 if lowest < -0.5 else -0.5 if lowest < 0 else 0.0
    height = top + step * len(rows) + 12 * (len(groups) - 1)
    sheet = SvgCanvas(WIDTH, height + 52, title=title)

    def at(value: float) -> float:
        return left + (right - left) * (max(value, start) - start) / (1 - start)

    step_of = 0.2 if start == 0 else 0.25
    ticks = [round(start + i * step_of, 2) for i in range(round((1 - start) / step_of) + 1)]

    for tick in ticks:
        sheet.line(at(tick), top - 8, at(tick), height, colour=inks.hair)
        sheet.words(at(tick), height + 18, f"{tick:g}", size=SMALL, colour=inks.quiet, anchor="middle")
    y = top + step / 2
    sheet.words(WIDTH - 16, 14, n_of, size=SMALL, colour=inks.quiet, anchor="end")
    for group in groups:
        for row in group:
            sheet.words(left - 12, y + 4, row.label, colour=inks.ink, anchor="end")
            if row.low is not None and row.high is not None:
                sheet.line(at(row.low), y, at(row.high), y, colour=inks.strong, width=2)
            if row.value is not None:
                sheet.dot(at(row.value), y, colour=inks.strong, radius=4)
                sheet.words(right + 12, y + 4, f"{row.value:.3f}", size=SMALL, colour=inks.ink)
            sheet.words(WIDTH - 16, y + 4, f"{row.n:,}", size=SMALL, colour=inks.quiet, anchor="end")
            y += step
        y += 12
    sheet.words((left + right) / 2, height + 40, x_label, size=SMALL, colour=inks.quiet, anchor="middle")
    return sheet.text()


def percent(count: int, total: int) -> str:
    """A share in percent, two decimals as in the paper; 0 % and 100 % only for none and all.

    >>> percent(1, 3), percent(0, 3), percent(9, 94_442), percent(1, 100_000), percent(99_999, 100_000), percent(0, 0)
    ('33.33 %', '0 %', '0.01 %', '<0.01 %', '>99.99 %', '')
    """
    if not total:
        return ""
    if count in (0, total):
        return "100 %" if count else "0 %"
    share = 100 * count / total
    return "<0.01 %" if share < 0.005 else ">99.99 %" if share >= 99.995 else f"{share:.2f} %"
