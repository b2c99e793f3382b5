"""DiDeMo: one JSON list of descriptions, their times as the 5-second segments that several people marked."""

from collections import Counter
from typing import Any

from corpus.description_formats import fields
from corpus.description_formats.rows import BadRow, DescriptionRow, FilePiece

FIELDS = ("annotation_id", "description", "times", "video")
SEGMENT = 5.0
"""Seconds of a segment: [a, b] marks the segments a to b, so the seconds 5a to 5(b + 1)."""
MOST_SEGMENTS = 6
Marked = tuple[int, int]


def didemo_row(piece: FilePiece, slack: float) -> DescriptionRow:
    """Source: LisaAnne/LocalizingMoments. An annotation_id is one of its file alone: the id names the video too.

    No duration is taken: the last segment is as long as the video lets it be. Raises: BadRow.
    """
    record = piece.value
    fields.require(record, FIELDS)
    video = fields.video_name(record["video"], "video")
    text = fields.sentence(record["description"], "description")
    number = fields.source_id(record["annotation_id"], "annotation_id", longest=50)
    segments = record.get("num_segments", MOST_SEGMENTS)
    if isinstance(segments, bool) or not isinstance(segments, int) or not 0 < segments < 10_000:
        raise BadRow("num_segments", segments, "a whole number of segments, 1 or more")
    first, last = agreed(_marks(record["times"], segments))
    start, end = SEGMENT * first, SEGMENT * (last + 1)
    source_id = f"{number}-{fields.short_hash(video)}"
    return fields.row(piece, video=video, text=text, start=start, end=end, source_id=source_id)


def _marks(times: Any, segments: int) -> list[Marked]:
    if not isinstance(times, list) or not times:
        raise BadRow("times", times, "a list of [first, last] segments, one a person")
    for mark in times:
        whole = isinstance(mark, list) and len(mark) == 2
        if not whole or not all(isinstance(part, int) and not isinstance(part, bool) for part in mark):
            raise BadRow("times", mark, "[first, last], two whole numbers of segments")
        if not 0 <= mark[0] <= mark[1] < segments:
            raise BadRow("times", mark, f"segments from 0 to {segments - 1}, the first not after the last")
    return [(mark[0], mark[1]) for mark in times]


def agreed(marks: list[Marked]) -> Marked:
    """The span that most people marked; on a tie, the one that overlaps best with all marked spans.

    Overlap is the sum of IoU over all marks; what is still equal goes to the earlier start, then the earlier end.
    """
    votes = Counter(marks)
    return min(votes, key=lambda mark: (-votes[mark], -sum(_iou(mark, other) for other in marks), mark))


def _iou(mark: Marked, other: Marked) -> float:
    shared = min(mark[1], other[1]) - max(mark[0], other[0]) + 1
    both = max(mark[1], other[1]) - min(mark[0], other[0]) + 1
    return max(0, shared) / both
