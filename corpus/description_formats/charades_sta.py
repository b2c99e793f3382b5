"""Charades-STA: lines of `VIDEO START END##SENTENCE`, without ids and durations."""

import re

from corpus.description_formats import fields
from corpus.description_formats.rows import BadRow, DescriptionRow, FilePiece

LINE = re.compile(r"\s*(\S+)[ \t]+(\S+)[ \t]+(\S+?)[ \t]*##(.*)", re.DOTALL)


def charades_sta_row(piece: FilePiece, slack: float) -> DescriptionRow:
    """Source: jiyanggao/TALL. Raises: BadRow."""
    match = LINE.fullmatch(piece.value)
    if match is None:
        raise BadRow("line", piece.value, "VIDEO START END##SENTENCE")
    video = fields.video_name(match[1], "video")
    text = fields.sentence(match[4], "sentence")
    start, end = fields.start_and_end(
        fields.number_in(match[2], "start"), fields.number_in(match[3], "end"), None, slack
    )
    source_id = fields.derived_id(video, start, end, text)
    return DescriptionRow(piece.line, piece.entry, source_id, True, text, None, None, video, None, start, end)
