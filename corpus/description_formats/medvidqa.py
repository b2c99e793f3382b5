"""MedVidQA: one JSON list of questions, each with the video and the seconds of its visual answer."""

from corpus.description_formats import fields
from corpus.description_formats.rows import DescriptionRow, FilePiece

TIMES = ("answer_start_second", "answer_end_second")
FIELDS = ("sample_id", "question", "video_id", "video_length", *TIMES)


def medvidqa_row(piece: FilePiece, slack: float) -> DescriptionRow:
    """Source: deepaknlp/MedVidQACL. That a sample_id is one of all files isn't said: the id names the video too.

    Raises: BadRow.
    """
    record = piece.value
    fields.require(record, FIELDS)
    video = fields.video_name(record["video_id"], "video_id")
    text = fields.sentence(record["question"], "question")
    number = fields.source_id(record["sample_id"], "sample_id", longest=50)
    duration = fields.duration(record["video_length"], "video_length")
    start, end = fields.start_and_end(record[TIMES[0]], record[TIMES[1]], duration, slack, TIMES)
    source_id = f"{number}-{fields.short_hash(video)}"
    return fields.row(piece, video=video, text=text, start=start, end=end, source_id=source_id, duration=duration)
