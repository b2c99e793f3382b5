"""Check a release's `spans.csv`: every span a part of its moment, each pair a relevant one."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .judged_pairs import JudgedPairs
from .untrusted_files import UnreadableFile, csv_rows

SPANS_FILE = "spans.csv"
COLUMNS = (
    *("pair_id", "query_id", "video_name", "start", "end", "adjusted_start", "adjusted_end"),
    *("status", "people", "mean_iou"),
)
"""Said again, since the check takes nothing from what writes releases (nor Django)."""
STATUSES = ("whole", "agreed", "apart", "lead")
ROUNDING = 0.0006
"""Seconds: times are rounded to thousandths."""


def check_spans(folder: Path, manifest: Mapping[str, Any], pairs: JudgedPairs) -> Iterator[str]:
    """The problems of the file, one by one; none where the release has none and says so.

    Args: pairs: those of raw_annotations.csv, by id.
    """
    path, stated = folder / SPANS_FILE, manifest.get("spans")
    if stated is None:
        if path.exists():
            yield f"{SPANS_FILE} is there, but the manifest says nothing of spans"
        return
    seen: set[str] = set()
    try:
        for line, row in csv_rows(path, COLUMNS):
            if row["pair_id"] in seen:
                yield f"{SPANS_FILE}, line {line}: pair {row['pair_id']} is there twice"
            seen.add(row["pair_id"])
            problem = _problem(row, pairs)
            if problem:
                yield f"{SPANS_FILE}, line {line}: {problem}"
    except UnreadableFile as error:
        yield str(error)
        return
    counted = stated.get("all", {}) if isinstance(stated, dict) else {}
    # What the lead has set is among those that are apart.
    number = sum(counted.get(status, 0) for status in STATUSES[:3])
    if number != len(seen):
        yield f"{SPANS_FILE}: found {len(seen)} pairs, but the manifest says {number}"


def _problem(row: Mapping[str, str], pairs: JudgedPairs) -> str:
    """What is wrong with a row; "" if nothing is."""
    pair = pairs.get(row["pair_id"])
    if pair is None:
        return f"there is no judgment of pair {row['pair_id']}"
    try:
        start, end, begin, finish = (float(row[name]) for name in COLUMNS[3:7])
    except ValueError:
        return f"found the times {[row[name] for name in COLUMNS[3:7]]}, expected seconds"
    if not all(math.isfinite(time) for time in (start, end, begin, finish)):
        return "found a time that is no number"
    if (row["query_id"], row["video_name"]) != (pair.facts.query_id, pair.facts.video_name) or (
        (start, end) != tuple(pair.facts.timestamp)
    ):
        return f"pair {row['pair_id']} is another one in raw_annotations.csv"
    if not start - ROUNDING <= begin < finish <= end + ROUNDING:
        return f"found the span {begin:g} to {finish:g}, expected a part of {start:g} to {end:g}"
    if row["status"] not in STATUSES:
        return f"found the status {row['status']!r}, expected one of {', '.join(STATUSES)}"
    if row["status"] in ("whole", "apart") and (begin, finish) != (start, end):
        return f"found a span of its own with the status {row['status']}, expected the moment's"
    return ""
