"""Check a release's `spans.csv`: every span a part of its moment, each pair a relevant one."""

import math
from collections import Counter
from typing import Any

from .checked_rows import Judged, Row, Rows, Stated
from .judged_pairs import JudgedPairs

SPANS = (
    *("pair_id", "query_id", "video_name", "start", "end", "adjusted_start", "adjusted_end"),
    *("status", "people", "mean_iou"),
)
"""Columns, said again, since the check takes nothing from what writes releases (nor Django)."""
STATUSES = ("whole", "agreed", "apart", "lead")
ROUNDING = 0.0006
"""Seconds: times are rounded to thousandths."""


def check_spans(rows: Rows, stated: Stated, judged: Judged) -> None:
    """Tell the problems of the file."""
    counts: dict[str, Counter[str]] = {part: Counter() for part in ("val", "test", "all")}
    overlaps: dict[str, list[float]] = {part: [] for part in counts}
    for row in rows.each("pair_id", again="pair {pair_id} is there twice"):
        if problem := _problem(row, judged.pairs):
            rows.wrong(problem)
            continue
        for part in ("all", judged.files.get(row["query_id"], "").removesuffix(".json")):
            if part in counts:
                # What the lead has set is among those that are apart.
                counts[part]["apart" if row["status"] == "lead" else row["status"]] += 1
                overlaps[part] += [float(row["mean_iou"])] if row["mean_iou"] else []
    for part, expected in {"all": stated["all"], **stated.get("pairs", {})}.items():
        told = {status: expected.get(status, 0) for status in STATUSES[:3]}
        found = {status: counts[part][status] for status in told}
        if part == "all" and sum(told.values()) != len(rows.seen):
            rows.compare(len(rows.seen), sum(told.values()), " pairs")
        elif found != told:
            rows.compare(found, told, f" of {part}")
        elif differing := _differing_mean(overlaps[part], expected.get("mean_iou")):
            rows.of_all(f"{differing} of {part}")


def _differing_mean(overlaps: list[float], stated: Any) -> str:
    mean = math.fsum(overlaps) / len(overlaps) if overlaps else None
    if mean is None or not isinstance(stated, int | float):
        return "" if mean == stated else f"found the mean IoU {mean}, but the manifest says {stated!r}"
    found = f"found the mean IoU {mean:.6f}, but the manifest says {stated}"
    return "" if math.isclose(mean, stated, abs_tol=1e-5) else found


def _problem(row: Row, pairs: JudgedPairs) -> str:
    """What is wrong with a row; "" if nothing is."""
    pair = pairs.get(row["pair_id"])
    if pair is None:
        return f"there is no judgment of pair {row['pair_id']}"
    try:
        start, end, begin, finish = (float(row[name]) for name in SPANS[3:7])
    except ValueError:
        return f"found the times {[row[name] for name in SPANS[3:7]]}, expected seconds"
    if not all(math.isfinite(time) for time in (start, end, begin, finish)):
        return "found a time that is no number"
    if (row["query_id"], row["video_name"]) != (pair.facts.query_id, pair.facts.video_name) or (
        (start, end) != tuple(pair.facts.timestamp)
    ):
        return f"pair {row['pair_id']} is another one in raw_annotations.csv"
    if not start - ROUNDING <= begin < finish <= end + ROUNDING:
        return f"found the span {begin:g} to {finish:g}, expected a part of {start:g} to {end:g}"
    if not _is_share(row["mean_iou"]):
        return f"found the mean IoU {row['mean_iou']!r}, expected 0 to 1, or nothing"
    if row["status"] not in STATUSES:
        return f"found the status {row['status']!r}, expected one of {', '.join(STATUSES)}"
    if row["status"] in ("whole", "apart") and (begin, finish) != (start, end):
        return f"found a span of its own with the status {row['status']}, expected the moment's"
    return ""


def _is_share(cell: str) -> bool:
    try:
        return not cell or 0 <= float(cell) <= 1
    except ValueError:
        return False
