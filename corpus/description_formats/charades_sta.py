"""Charades-STA, and UCA's text files: lines of `VIDEO START END##SENTENCE`, without ids and durations."""

import re

from corpus.description_formats import fields
from corpus.description_formats.rows import BadRow, DescriptionRow, FilePiece

LINE = re.compile(r"\s*(\S+)[ \t]+(\S+)[ \t]+(\S+?)[ \t]*##(.*)", re.DOTALL)


def charades_sta_row(piece: FilePiece, slack: float) -> DescriptionRow:
    """Source: jiyanggao/TALL; of times such as 01:02.5: Xuange923/Surveillance-Video-Understanding (UCA).

    Raises: BadRow.
    """
    match = LINE.fullmatch(piece.value)
    if match is None:
        raise BadRow("line", piece.value, "VIDEO START END##SENTENCE")
    video = fields.video_name(match[1], "video")
    text = fields.sentence(match[4], "sentence")
    start, end = fields.start_and_end(
        fields.seconds_in(match[2], "start"), fields.seconds_in(match[3], "end"), None, slack
    )
    return fields.row(piece, video=video, text=text, start=start, end=end)
