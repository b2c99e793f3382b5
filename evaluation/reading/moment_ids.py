"""Ids that moments have elsewhere, such as TRECVID's shots."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from unicodedata import normalize

from ..errors import InputError, shown
from .json_stream import lines_of

MOMENT_IDS = "moment_ids.csv"
"""A release's file of them."""
COLUMNS = ("video_name", "start", "end", "moment_id")


def read_moment_ids(path: Path) -> dict[tuple[str, float, float], str]:
    """CSV with the columns video_name, start, end (seconds) and moment_id; others are left.

    Raises: InputError naming file, line, found and expected; also for a moment or an id that comes twice.
    """
    rows = csv.DictReader(lines_of(path), strict=True)
    ids: dict[tuple[str, float, float], str] = {}
    known: set[str] = set()
    try:
        missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
        if missing:
            raise InputError(
                path, "line 1", found=f"no column {missing[0]}", expected=f"the columns {', '.join(COLUMNS)}"
            )
        for row in rows:
            place, times = f"line {rows.line_num}", (row["start"], row["end"])
            try:
                start, end = (float(second or "") for second in times)
            except ValueError:
                start = end = math.nan
            if not 0 <= start < end < math.inf:
                raise InputError(path, place, found=shown(times), expected="0 <= start < end in seconds")
            own = row["moment_id"] or ""
            moment = (normalize("NFC", row["video_name"] or ""), start, end)
            if not own or any(sign.isspace() for sign in own):
                raise InputError(path, place, found=f"moment_id {shown(own)}", expected="an id without blanks")
            if own in known or moment in ids:
                raise InputError(path, place, found=f"moment_id {own} a second time", expected="one id a moment")
            known.add(own)
            ids[moment] = own
    except csv.Error as error:
        raise InputError(path, f"line {rows.line_num}", found=str(error), expected="CSV") from error
    return ids
