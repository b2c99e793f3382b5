"""ActivityNet Captions: one JSON object of {video: {duration, timestamps, sentences}}; TACoS has frames for seconds.

Neither has ids. UCA has ActivityNet Captions' layout.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, BinaryIO

from corpus.description_formats import fields
from corpus.description_formats.json_stream import json_members
from corpus.description_formats.rows import BadRow, DescriptionRow, FilePiece

FIELDS = ("duration", "timestamps", "sentences")
OF_TACOS = ("fps", "num_frames", "timestamps", "sentences")


def _pieces(file: BinaryIO, names: Sequence[str]) -> Iterator[FilePiece]:
    """One piece a sentence, with its video's facts; or the whole entry where it is broken.

    A piece is {"video", "timestamp", "sentence"} and those of `names` that aren't the lists.
    """
    for line, video, record in json_members(file):
        try:
            stretches, sentences = _lists(record, names)
        except BadRow as bad:
            yield FilePiece(line, f"video {fields.brief(video)}", {video: record}, bad)
            continue
        facts = {name: record[name] for name in names[:-2]}
        for number, (times, sentence) in enumerate(zip(stretches, sentences, strict=True), start=1):
            value = {"video": video, **facts, "timestamp": times, "sentence": sentence}
            yield FilePiece(line, f"video {fields.brief(video)}, sentence {number}", value)


activitynet_pieces = partial(_pieces, names=FIELDS)
tacos_pieces = partial(_pieces, names=OF_TACOS)


def _lists(record: Any, names: Sequence[str]) -> tuple[list[Any], list[Any]]:
    fields.require(record, names)
    stretches, sentences = record["timestamps"], record["sentences"]
    for field, value in (("timestamps", stretches), ("sentences", sentences)):
        if not isinstance(value, list):
            raise BadRow(field, value, "a list")
    if len(stretches) != len(sentences):
        raise BadRow.saying("sentences", str(len(sentences)), f"{len(stretches)}, one for each of the timestamps")
    return stretches, sentences


def activitynet_row(piece: FilePiece, slack: float) -> DescriptionRow:
    """Source: Krishna et al., Dense-Captioning Events in Videos, 2017. Raises: BadRow."""
    return _row(piece, slack, fields.duration(piece.value["duration"], "duration"), None)


def tacos_row(piece: FilePiece, slack: float) -> DescriptionRow:
    """Source: microsoft/VideoX (2D-TAN), whose JSON of TACoS (Regneri et al., 2013) others took over.

    Times are numbers of frames, and a video has num_frames of them at fps. Raises: BadRow.
    """
    rate, frames = piece.value["fps"], piece.value["num_frames"]
    if not fields.is_time(rate) or rate == 0:
        raise BadRow("fps", rate, "frames a second, more than 0")
    if not fields.is_time(frames) or frames == 0:
        raise BadRow("num_frames", frames, "a number of frames, more than 0")
    return _row(piece, slack, fields.duration(frames / rate, "num_frames"), rate)


def _row(piece: FilePiece, slack: float, duration: float | None, rate: float | None) -> DescriptionRow:
    video = fields.video_name(piece.value["video"], "video")
    text = fields.sentence(piece.value["sentence"], "sentences")
    start, end = fields.stretch(piece.value["timestamp"], "timestamps", duration, slack, rate=rate)
    return fields.row(piece, video=video, text=text, start=start, end=end, duration=duration)
