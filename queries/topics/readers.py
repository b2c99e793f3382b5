"""Files of topics: CSV, JSON Lines, TREC's topics, and lines of id, tab, text."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from corpus.description_formats import BadRow, FilePiece
from corpus.description_formats.csv_dialects import Fields
from corpus.description_formats.lines import text_lines
from corpus.description_import.row_files import RowChoices, RowKind
from evaluation.formats.trec_ids import read_id
from queries.topics.topic_rows import NEEDED, OPTIONAL, topic_row
from queries.topics.trec_topics import trec_pieces

FORMATS = {
    "csv": "CSV with a column text; id, narrative, language, written_by, split if there are any",
    "jsonl": "JSON Lines of text, id, narrative, language, written_by, split",
    "trec": "TREC topics: <top>, <num>, <title>, <desc>, <narr>",
    "tsv": "lines of id, tab, text",
}
"""By name, with their titles for people."""
OF_TOPICS = Fields(
    NEEDED,
    OPTIONAL,
    {
        "text": "query query_text title sentence question",
        "id": "topic_id query_id qid num number topic topic_number",
        "narrative": "narr guidance",
        "language": "lang",
        "written_by": "author writer",
        "split": "subset",
    },
)


@dataclass(frozen=True, slots=True)
class TopicFileChoices(RowChoices):
    """What somebody chose about a file; what is empty is told by the file. `split` is for topics that state none."""

    split: str = "test"


def _tab_pieces(file: BinaryIO) -> Iterator[FilePiece]:
    for piece in text_lines(file):
        if piece.fault is not None:
            yield piece
            continue
        topic_id, tab, text = piece.value.partition("\t")
        fault = None if tab and topic_id.strip() else BadRow("line", piece.value, "id, tab, text")
        yield FilePiece(piece.line, "", {"id": read_id(topic_id), "text": text}, fault)


TOPICS = RowKind(
    "topics",
    OF_TOPICS,
    topic_row,
    {
        "trec": (lambda line: line.startswith("<"), trec_pieces),
        "tsv": (lambda line: "\t" in line, _tab_pieces),
    },
)
