"""Files of topics: CSV, JSON Lines, TREC's topics, and lines of id, tab, text."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO

from corpus.description_formats import CHARSETS, SEPARATORS, BadRow, FilePiece
from corpus.description_formats.charsets import UTF8, UTF16, charset_of_text, has_utf16, in_utf8
from corpus.description_formats.csv_dialects import Fields, csv_pieces, names_columns, read_dialect
from corpus.description_formats.lines import json_lines, text_lines
from evaluation.formats.trec_ids import read_id
from evaluation.reading.sniffing import looks_binary, looks_like
from queries.topics.topic_rows import NEEDED, OPTIONAL, SourceTopic, topic_row
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
HEAD = 1 << 14
_WORDS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class TopicFileChoices:
    """What somebody chose about a file; what is empty is told by the file. `split` is for topics that state none."""

    format: str = ""
    """A key of `FORMATS`."""
    charset: str = ""
    """A key of `CHARSETS`."""
    separator: str = ""
    """Of CSV: a key of `SEPARATORS`."""
    split: str = "test"


@dataclass(frozen=True, slots=True)
class TopicFile:
    """A file that is understood: `rows` reads it; bad rows go to the function that it is given."""

    format: str
    remarks: list[str]
    """What was taken without having been chosen, in sentences."""
    _pieces: Callable[[], Iterator[FilePiece]] = field(repr=False)

    def rows(self, refuse: Callable[[FilePiece, BadRow], None]) -> Iterator[SourceTopic]:
        """Every good row in file order. Raises: Unreadable where nothing more can be read."""
        for piece in self._pieces():
            try:
                if piece.fault is not None:
                    raise piece.fault
                row = topic_row(_by_field(piece.value) if self.format == "jsonl" else piece.value, piece.line)
            except BadRow as bad:
                refuse(piece, bad)
                continue
            yield row


def read_topics(file: BinaryIO, choices: TopicFileChoices) -> TopicFile:
    """How to read a file that is seekable. Charsets are found as those of descriptions are.

    Raises: BadRow or Unreadable where it can't be told.
    """
    charset = choices.charset or (UTF16 if has_utf16(file) else "")
    kind = looks_binary(file.read(512))
    if kind and charset != UTF16:
        raise BadRow.saying("file", kind, "a text: unpack it, or export it as CSV")
    name = choices.format or guess_format(in_utf8(file, charset or UTF8))
    if not charset:
        charset = UTF8 if name == "jsonl" else charset_of_text(file)
    read = in_utf8(file, charset)
    remarks = [] if choices.format else [f"Detected format: {name}"]
    if not choices.charset and charset != UTF8:
        remarks.append(f"Read as {CHARSETS[charset]}")
    if name != "csv":
        pieces = {"jsonl": json_lines, "trec": trec_pieces, "tsv": _tab_pieces}[name]
        return TopicFile(name, remarks, partial(pieces, read))
    dialect = read_dialect(read, separator=choices.separator, fields=OF_TOPICS)
    if dialect is None:
        raise BadRow("file", None, "topics")
    renamed = [f"{name} is {header}" for name, header in dialect.renamed.items()]
    remarks += [f"Columns: {', '.join(renamed)}"] if renamed else []
    return TopicFile(name, remarks, partial(csv_pieces, read, dialect))


def guess_format(file: BinaryIO) -> str:
    """The name of the format that a file's beginning matches; the file is rewound. Raises: BadRow if of none."""
    file.seek(0)
    head = file.read(HEAD).decode("utf-8-sig", errors="replace").lstrip(" \r\n")
    file.seek(0)
    if not head:
        raise BadRow("file", None, "topics")
    first = head.splitlines()[0]
    if head.startswith("<"):
        return "trec"
    if _is_object(first):
        return "jsonl"
    if any(names_columns(first, separator, OF_TOPICS) for separator in SEPARATORS):
        return "csv"
    if "\t" in first:
        return "tsv"
    expected = f"a format that can be detected: {', '.join(FORMATS)}"
    raise BadRow.saying("format", looks_like(first), expected).settled_by("format")


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return line.startswith("{")


def _tab_pieces(file: BinaryIO) -> Iterator[FilePiece]:
    for piece in text_lines(file):
        if piece.fault is not None:
            yield piece
            continue
        topic_id, tab, text = piece.value.partition("\t")
        fault = None if tab and topic_id.strip() else BadRow("line", piece.value, "id, tab, text")
        yield FilePiece(piece.line, "", {"id": read_id(topic_id), "text": text}, fault)


def _by_field(record: dict[str, Any]) -> dict[str, Any]:
    """A record's values by field: under its own name, or else under one of the usual ones. Raises: BadRow."""
    names = {_WORDS.sub("_", name.lower()).strip("_"): name for name in record}
    values: dict[str, Any] = {}
    for topic_field in OF_TOPICS.every:
        usual = [names[name] for name in OF_TOPICS.synonyms[topic_field].split() if name in names]
        if topic_field in record:
            values[topic_field] = record[topic_field]
        elif len(usual) > 1:
            raise BadRow.saying(topic_field, f"the fields {' and '.join(usual)}", f"one field for {topic_field}")
        elif usual:
            values[topic_field] = record[usual[0]]
    if "text" not in values:
        raise BadRow("text", None, "the field text")
    return values
