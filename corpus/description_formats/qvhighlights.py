"""QVHighlights: JSON Lines of qid, query, vid, duration and relevant_windows, several a query."""

from collections.abc import Iterator
from typing import BinaryIO

from corpus.description_formats import fields
from corpus.description_formats.lines import json_lines
from corpus.description_formats.rows import BadRow, DescriptionRow, FilePiece

FIELDS = ("qid", "query", "vid", "duration", "relevant_windows")


def qvhighlights_pieces(file: BinaryIO) -> Iterator[FilePiece]:
    """One piece a window: {"qid", "query", "vid", "duration", "window", "number"}."""
    for piece in json_lines(file):
        record = piece.value
        if piece.fault is not None:
            yield piece
            continue
        try:
            fields.require(record, FIELDS)
            windows = record["relevant_windows"]
            if not isinstance(windows, list) or not windows:
                raise BadRow("relevant_windows", windows, "a list of [start, end]")
        except BadRow as fault:
            yield FilePiece(piece.line, "", record, fault)
            continue
        shared = {field: record[field] for field in FIELDS if field != "relevant_windows"}
        for number, window in enumerate(windows, start=1):
            yield FilePiece(piece.line, f"window {number}", {**shared, "window": window, "number": number})


def qvhighlights_row(piece: FilePiece, slack: float) -> DescriptionRow:
    """Source: jayleicn/moment_detr. The id is QID-1, QID-2 ... in the order of the windows. Raises: BadRow."""
    record = piece.value
    video = fields.video_name(record["vid"], "vid")
    text = fields.sentence(record["query"], "query")
    query = fields.source_id(record["qid"], "qid", longest=56)
    duration = fields.duration(record["duration"], "duration")
    start, end = fields.stretch(record["window"], "relevant_windows", duration, slack)
    source_id = f"{query}-{record['number']}"
    return fields.row(piece, video=video, text=text, start=start, end=end, source_id=source_id, duration=duration)
