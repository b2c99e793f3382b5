"""The project's own columns: video, start, end, text; optional id, kind, duration, language, moment_id."""

from typing import Any

from corpus.description_formats import fields
from corpus.description_formats.rows import DescriptionRow, FilePiece

NEEDED = ("video", "start", "end", "text")
OPTIONAL = ("id", "kind", "duration", "language", "moment_id")


def jsonl_row(piece: FilePiece, slack: float) -> DescriptionRow:
    """A row of JSON Lines: times and durations are numbers. Other fields are passed over. Raises: BadRow."""
    fields.require(piece.value, NEEDED)
    return _row(piece, piece.value, slack)


def csv_row(piece: FilePiece, slack: float) -> DescriptionRow:
    """A row of CSV: an empty cell of an optional column says nothing; times may be 1:02.5. Raises: BadRow."""
    record: dict[str, Any] = {name: cell for name, cell in piece.value.items() if name in NEEDED or cell.strip()}
    for field in ("start", "end"):
        record[field] = fields.seconds_in(record[field], field)
    if "duration" in record:
        record["duration"] = fields.seconds_in(record["duration"], "duration", "seconds, more than 0")
    for field in ("kind", "language"):
        if field in record:
            record[field] = record[field].strip()
    return _row(piece, record, slack)


def _row(piece: FilePiece, record: dict[str, Any], slack: float) -> DescriptionRow:
    video = fields.video_name(record["video"], "video")
    text = fields.sentence(record["text"], "text")
    given, kind, moment_id = record.get("id"), record.get("kind"), record.get("moment_id")
    duration = fields.duration(record.get("duration"), "duration")
    start, end = fields.start_and_end(record["start"], record["end"], duration, slack)
    return fields.row(
        piece,
        video=video,
        text=text,
        start=start,
        end=end,
        source_id=None if given is None else fields.source_id(given, "id"),
        kind=None if kind is None else fields.kind(kind, "kind"),
        language=fields.language(record.get("language"), "language"),
        duration=duration,
        moment_id=None if moment_id is None else fields.moment_id(moment_id, "moment_id"),
    )
