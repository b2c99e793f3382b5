"""ActivityNet Captions: one JSON object of {video: {duration, timestamps, sentences}}, without ids."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from corpus.description_formats import fields
from corpus.description_formats.json_stream import json_members
from corpus.description_formats.rows import BadRow, DescriptionRow, FilePiece

FIELDS = ("duration", "timestamps", "sentences")


def activitynet_pieces(file: BinaryIO) -> Iterator[FilePiece]:
    """One piece a sentence: {"video", "duration", "timestamp", "sentence"}; or the whole entry where it is broken."""
    for line, video, record in json_members(file):
        try:
            stretches, sentences = _lists(record)
        except BadRow as bad:
            yield FilePiece(line, f"video {_short(video)}", {video: record}, bad)
            continue
        for number, (times, sentence) in enumerate(zip(stretches, sentences, strict=True), start=1):
            value = {"video": video, "duration": record["duration"], "timestamp": times, "sentence": sentence}
            yield FilePiece(line, f"video {_short(video)}, sentence {number}", value)


def _short(name: str) -> str:
    return repr(name if len(name) <= 40 else name[:37] + "...")


def _lists(record: Any) -> tuple[list[Any], list[Any]]:
    if not isinstance(record, dict):
        raise BadRow("JSON", record, "an object of " + ", ".join(FIELDS))
    fields.require(record, FIELDS)
    stretches, sentences = record["timestamps"], record["sentences"]
    for field, value in (("timestamps", stretches), ("sentences", sentences)):
        if not isinstance(value, list):
            raise BadRow(field, value, "a list")
    if len(stretches) != len(sentences):
        raise BadRow.saying("sentences", str(len(sentences)), f"{len(stretches)}, one for each of the timestamps")
    return stretches, sentences


def activitynet_row(piece: FilePiece, slack: float) -> DescriptionRow:
    """Source: Krishna et al., Dense-Captioning Events in Videos, 2017. Raises: BadRow."""
    record = piece.value
    video = fields.video_name(record["video"], "video")
    text = fields.sentence(record["sentence"], "sentences")
    duration = fields.duration(record["duration"], "duration")
    start, end = fields.stretch(record["timestamp"], "timestamps", duration, slack)
    source_id = fields.derived_id(video, start, end, text)
    return DescriptionRow(piece.line, piece.entry, source_id, True, text, None, None, video, duration, start, end)
