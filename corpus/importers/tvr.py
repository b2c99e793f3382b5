"""TVR's release format: JSON Lines of vid_name, duration, ts, desc, type and desc_id."""

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from corpus.importers.rows import BadRow, DescriptionRow, Problem

FIELDS = ("vid_name", "ts", "desc", "type", "desc_id")
KINDS = ("v", "t", "vt")


def read_tvr(path: Path, *, end_slack: float, report: Callable[[Problem], None]) -> Iterator[DescriptionRow]:
    """Every good row of a TVR file, in file order; a bad one goes to `report` instead.

    Args:
        path: the file, UTF-8; empty lines are passed over, `duration` may be absent.
        end_slack: seconds that a moment may end after its video's duration.
        report: called once a bad row, with its first problem.
    """
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            try:
                record = _parse(number, raw)
                if record is not None:
                    yield _row(record, number, end_slack)
            except BadRow as bad:
                report(Problem(path.name, number, bad.field, bad.found, bad.expected))


def _parse(number: int, raw: bytes) -> dict[str, Any] | None:
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise BadRow("encoding", raw[error.start : error.start + 1], f"UTF-8 (byte {error.start + 1})") from error
    if not text.strip():
        return None
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError also for a number of thousands of digits
        raise BadRow("JSON", text.strip(), "one JSON object a line") from error
    if not isinstance(record, dict):
        raise BadRow("JSON", record, "one JSON object a line")
    return record


def _row(record: dict[str, Any], number: int, end_slack: float) -> DescriptionRow:
    for field in FIELDS:
        if field not in record:
            raise BadRow(field, None, "the fields " + ", ".join(FIELDS))
    video_name, text, kind, source_id = (record[field] for field in ("vid_name", "desc", "type", "desc_id"))
    if not _is_text(video_name) or len(video_name.strip()) > 200:
        raise BadRow("vid_name", video_name, "a name of 1 to 200 characters")
    if not _is_text(text):
        raise BadRow("desc", text, "a sentence")
    if kind not in KINDS:
        raise BadRow("type", kind, "one of v, t, vt")
    if isinstance(source_id, bool) or not (isinstance(source_id, int) or _is_text(source_id)):
        raise BadRow("desc_id", source_id, "a whole number or a text")
    if len(str(source_id).strip()) > 64:
        raise BadRow("desc_id", source_id, "at most 64 characters")
    duration = record.get("duration")
    if duration is not None and not (_is_time(duration) and duration > 0):
        raise BadRow("duration", duration, "seconds, more than 0")
    start, end = _stretch(record["ts"], duration, end_slack)
    return DescriptionRow(
        line=number,
        source_id=str(source_id).strip(),
        text=text,
        kind=kind,
        video_name=video_name.strip(),
        duration=None if duration is None else float(duration),
        start=start,
        end=end,
    )


def _stretch(times: object, duration: float | None, end_slack: float) -> tuple[float, float]:
    if not (isinstance(times, list) and len(times) == 2 and all(_is_time(time) for time in times)):
        raise BadRow("ts", times, "[start, end] in seconds, neither negative")
    start, end = float(times[0]), float(times[1])
    if not start < end:
        raise BadRow("ts", times, "a start before the end")
    if duration is not None and end > duration + end_slack:
        raise BadRow("ts", times, f"an end within the video's {duration:g} s (slack {end_slack:g} s)")
    return start, end


def _is_text(value: object) -> bool:
    """Whether PostgreSQL can keep it: something to read, no NUL, no half of a surrogate pair (JSON's "\\ud83d")."""
    if not isinstance(value, str) or not value.strip() or "\x00" in value:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _is_time(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value) and value >= 0
    except OverflowError:  # a whole number with hundreds of digits
        return False
