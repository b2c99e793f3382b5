"""TVR's release format: JSON Lines of vid_name, duration, ts, desc, type and desc_id."""

from corpus.description_formats import fields
from corpus.description_formats.rows import DescriptionRow, FilePiece

FIELDS = ("vid_name", "ts", "desc", "type", "desc_id")


def tvr_row(piece: FilePiece, slack: float) -> DescriptionRow:
    """Source: jayleicn/TVRetrieval. `duration` may be absent. Raises: BadRow."""
    record = piece.value
    fields.require(record, FIELDS)
    video = fields.video_name(record["vid_name"], "vid_name")
    text = fields.sentence(record["desc"], "desc")
    kind = fields.kind(record["type"], "type")
    source_id = fields.source_id(record["desc_id"], "desc_id")
    duration = fields.duration(record.get("duration"), "duration")
    start, end = fields.stretch(record["ts"], "ts", duration, slack)
    return fields.row(
        piece, video=video, text=text, start=start, end=end, source_id=source_id, kind=kind, duration=duration
    )
