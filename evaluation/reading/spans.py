"""The spans of a release's `spans.csv`, in the place of the moments' own."""

from __future__ import annotations

import csv
import math
from pathlib import Path

from ..errors import InputError, shown
from ..moments.ground_truth import GroundTruth
from ..reading.json_stream import open_text

COLUMNS = ("pair_id", "adjusted_start", "adjusted_end")


def with_spans(ground_truth: GroundTruth, path: Path | str) -> GroundTruth:
    """The ground truth with the adjusted times of those pairs that the file has; others keep theirs.

    Args: ground_truth: with pair ids, as a release's val.json; path: CSV with at least the columns `COLUMNS`, seconds.
    Raises: InputError if the file can't be read, a time isn't one, or none of its pairs is in the ground truth.
    """
    path = Path(path)
    adjusted = _read(path)
    start, end = ground_truth.start.copy(), ground_truth.end.copy()
    known = 0
    for place, pair_id in enumerate(ground_truth.pair_ids):
        if pair_id in adjusted:
            start[place], end[place] = adjusted[pair_id]
            known += 1
    if not known:
        raise InputError(path, "", found=f"no pair of {ground_truth.name}", expected="spans of the same release")
    return ground_truth.with_times(start, end)


def _read(path: Path) -> dict[str | None, tuple[float, float]]:
    times: dict[str | None, tuple[float, float]] = {}
    try:
        with open_text(path) as file:
            rows = csv.DictReader(file)
            missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
            if missing:
                raise InputError(
                    path, "", found=f"no column {missing[0]}", expected=f"the columns {', '.join(COLUMNS)}"
                )
            for row in rows:
                written = [row["adjusted_start"], row["adjusted_end"]]
                try:
                    start, end = (float(second) for second in written)
                except (TypeError, ValueError):
                    start = end = math.nan
                if not 0 <= start < end < math.inf:
                    place, expected = f"line {rows.line_num}", "0 <= start < end in seconds"
                    raise InputError(path, place, found=shown(written), expected=expected)
                times[row["pair_id"]] = (start, end)
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(path, "", found=str(error), expected="CSV") from error
    return times
