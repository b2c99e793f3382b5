"""The registry of description formats."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from corpus.description_formats.activitynet import activitynet_pieces, activitynet_row, tacos_pieces, tacos_row
from corpus.description_formats.charades_sta import charades_sta_row
from corpus.description_formats.csv_dialects import csv_pieces
from corpus.description_formats.didemo import didemo_row
from corpus.description_formats.ego4d_nlq import ego4d_nlq_pieces, ego4d_nlq_row
from corpus.description_formats.json_stream import json_entries
from corpus.description_formats.lines import json_lines, text_lines
from corpus.description_formats.mad import mad_pieces, mad_row
from corpus.description_formats.medvidqa import medvidqa_row
from corpus.description_formats.qreels_columns import csv_row, jsonl_row
from corpus.description_formats.qvhighlights import qvhighlights_pieces, qvhighlights_row
from corpus.description_formats.rows import BadRow, DescriptionRow, FilePiece
from corpus.description_formats.tvr import tvr_row


@dataclass(frozen=True, slots=True)
class DescriptionFormat:
    """How files of one kind are read. `title` is for people; `times` is the field where these stand."""

    name: str
    title: str
    pieces: Callable[[BinaryIO], Iterator[FilePiece]]
    row: Callable[[FilePiece, float], DescriptionRow]
    times: str = "end"

    def read(
        self, file: BinaryIO, *, end_slack: float, refuse: Callable[[FilePiece, BadRow], None]
    ) -> Iterator[tuple[FilePiece, DescriptionRow]]:
        """Every good row with the piece it came from, in file order; a bad one goes to `refuse` instead.

        Args:
            file: open at its beginning and seekable; UTF-8 (`understanding.understand` makes it so).
            end_slack: seconds that a moment may end after its video's duration.
            refuse: called once a bad row, with its first fault.

        Raises: Unreadable where nothing more can be read.
        """
        make = self.row
        for piece in self.pieces(file):
            if piece.fault is not None:
                refuse(piece, piece.fault)
                continue
            try:
                row = make(piece, end_slack)
            except BadRow as bad:
                refuse(piece, bad)
                continue
            yield piece, row


FORMATS = {
    format.name: format
    for format in (
        DescriptionFormat("tvr", "TVR: JSON Lines of vid_name, ts, desc, type, desc_id", json_lines, tvr_row, "ts"),
        DescriptionFormat(
            "charades-sta", "Charades-STA, UCA: lines of VIDEO START END##SENTENCE", text_lines, charades_sta_row
        ),
        DescriptionFormat(
            "activitynet",
            "ActivityNet Captions, UCA: {video: {duration, timestamps, sentences}}",
            activitynet_pieces,
            activitynet_row,
            "timestamps",
        ),
        DescriptionFormat("didemo", "DiDeMo: a list of 5-second segments", json_entries, didemo_row, "times"),
        DescriptionFormat(
            "qvhighlights",
            "QVHighlights: JSON Lines of qid, query, vid, relevant_windows",
            qvhighlights_pieces,
            qvhighlights_row,
            "relevant_windows",
        ),
        DescriptionFormat(
            "tacos",
            "TACoS: {video: {timestamps, sentences, fps, num_frames}}",
            tacos_pieces,
            tacos_row,
            "timestamps",
        ),
        DescriptionFormat(
            "mad", "MAD: {id: {movie, movie_duration, sentence, timestamps}}", mad_pieces, mad_row, "timestamps"
        ),
        DescriptionFormat(
            "medvidqa",
            "MedVidQA: a list of question, answer_start_second, answer_end_second",
            json_entries,
            medvidqa_row,
            "answer_end_second",
        ),
        DescriptionFormat(
            "ego4d-nlq",
            "Ego4D NLQ: videos of clips, annotations, language_queries",
            ego4d_nlq_pieces,
            ego4d_nlq_row,
            "clip_end_sec",
        ),
        DescriptionFormat("jsonl", "JSON Lines of video, start, end, text", json_lines, jsonl_row),
        DescriptionFormat("csv", "CSV with the columns video, start, end, text", csv_pieces, csv_row),
    )
}
TEXT_FORMATS = ("charades-sta", "csv")
"""Those without a standard that says their charset; JSON is UTF-8."""
