"""Files of rows of one kind (topics, captions): CSV, JSON Lines and what else it is written in, told by content."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO, Generic, Protocol, TypeVar

from corpus.description_formats import CHARSETS, SEPARATORS, BadRow, FilePiece, Unreadable
from corpus.description_formats.charsets import UTF8, UTF16, charset_of_text, has_utf16, in_utf8
from corpus.description_formats.csv_dialects import Fields, csv_pieces, names_columns, read_dialect
from corpus.description_formats.lines import json_lines
from corpus.description_import.rejected_rows import Rejections
from evaluation.reading.sniffing import looks_binary, looks_like

HEAD = 1 << 14
READ_AT_ONCE = 500
"""Rows between two words of progress."""
_WORDS = re.compile(r"[^a-z0-9]+")

Pieces = Callable[[BinaryIO], Iterator[FilePiece]]


class _Row(Protocol):
    @property
    def line(self) -> int: ...


Row = TypeVar("Row", bound=_Row)
Conflicts = Callable[[Sequence[Row]], Iterable[tuple[Row, BadRow]]]


@dataclass(frozen=True, slots=True)
class RowKind(Generic[Row]):
    """What the rows of a kind of file are, and how they are written."""

    noun: str
    """What they are called, for messages: "topics"."""
    fields: Fields
    row: Callable[[Mapping[str, Any], int], Row]
    """A row of its fields by name, and its line. Raises BadRow."""
    others: Mapping[str, tuple[Callable[[str], bool], Pieces]] = field(default_factory=dict)
    """Formats beside csv and jsonl: whether a file's first line is of it, and what reads it."""

    @property
    def formats(self) -> tuple[str, ...]:
        return ("csv", "jsonl", *self.others)


@dataclass(frozen=True, slots=True)
class RowChoices:
    """What somebody chose about a file; what is empty is told by the file."""

    format: str = ""
    """One of the kind's formats."""
    charset: str = ""
    """A key of `CHARSETS`."""
    separator: str = ""
    """Of CSV: a key of `SEPARATORS`."""


@dataclass(frozen=True, slots=True)
class RowFile(Generic[Row]):
    """A file that is understood: `rows` reads it; bad rows go to the function that it is given."""

    kind: RowKind[Row] = field(repr=False)
    format: str
    remarks: list[str]
    """What was taken without having been chosen, in sentences."""
    _pieces: Callable[[], Iterator[FilePiece]] = field(repr=False)

    def rows(self, refuse: Callable[[FilePiece, BadRow], None]) -> Iterator[Row]:
        """Every good row in file order. Raises: Unreadable where nothing more can be read."""
        for piece in self._pieces():
            try:
                if piece.fault is not None:
                    raise piece.fault
                values = _by_field(piece.value, self.kind.fields) if self.format == "jsonl" else piece.value
                row = self.kind.row(values, piece.line)
            except BadRow as bad:
                refuse(piece, bad)
                continue
            yield row


@dataclass(frozen=True, slots=True)
class ReadRows(Generic[Row]):
    """A file read to its end: its good rows, how it was read, and every problem."""

    rows: list[Row]
    remarks: list[str]
    rejections: Rejections

    def refuse(self) -> None:
        """Raises: BadFile naming the first ten problems with line, found and expected, and how many there are."""
        if self.rejections.total:
            raise self.rejections.as_error()


def read_whole(
    file: BinaryIO,
    name: str,
    choices: RowChoices,
    kind: RowKind[Row],
    *,
    conflicts: Conflicts[Row],
    progress: Callable[[int], object] = lambda rows: None,
) -> ReadRows[Row]:
    """Read every row of a file that is seekable, and what is wrong in it.

    Args: name: the file's, for messages; conflicts: says which good rows won't do, and why; progress: called with the
        number of rows read since the last call.
    """
    rejections, rows, remarks = Rejections(name), list[Row](), list[str]()

    def refuse(piece: FilePiece, bad: BadRow) -> None:
        rejections.add(piece.line, piece.entry, bad, None)

    try:
        source = read_rows(file, choices, kind)
        remarks = source.remarks
        for row in source.rows(refuse):
            rows.append(row)
            if len(rows) % READ_AT_ONCE == 0:
                progress(READ_AT_ONCE)
        progress(len(rows) % READ_AT_ONCE)
    except BadRow as bad:
        rejections.add(1, "", bad, None)
    except Unreadable as end:
        rejections.add(end.line, "", end.fault, None)
    if not rows and not rejections.total:
        rejections.add(1, "", BadRow("file", None, kind.noun), None)
    for row, conflict in conflicts(rows):
        rejections.add(row.line, "", conflict, None)
    return ReadRows(rows, remarks, rejections)


def read_rows(file: BinaryIO, choices: RowChoices, kind: RowKind[Row]) -> RowFile[Row]:
    """How to read a file that is seekable. Charsets are found as those of descriptions are.

    Raises: BadRow or Unreadable where it can't be told.
    """
    charset = choices.charset or (UTF16 if has_utf16(file) else "")
    binary = looks_binary(file.read(512))
    if binary and charset != UTF16:
        raise BadRow.saying("file", binary, "a text: unpack it, or export it as CSV")
    name = choices.format or guess_format(in_utf8(file, charset or UTF8), kind)
    if not charset:
        charset = UTF8 if name == "jsonl" else charset_of_text(file)
    read = in_utf8(file, charset)
    remarks = [] if choices.format else [f"Detected format: {name}"]
    if not choices.charset and charset != UTF8:
        remarks.append(f"Read as {CHARSETS[charset]}")
    if name != "csv":
        pieces = json_lines if name == "jsonl" else kind.others[name][1]
        return RowFile(kind, name, remarks, partial(pieces, read))
    dialect = read_dialect(read, separator=choices.separator, fields=kind.fields)
    if dialect is None:
        raise BadRow("file", None, kind.noun)
    renamed = [f"{name} is {header}" for name, header in dialect.renamed.items()]
    remarks += [f"Columns: {', '.join(renamed)}"] if renamed else []
    return RowFile(kind, name, remarks, partial(csv_pieces, read, dialect))


def guess_format(file: BinaryIO, kind: RowKind[Any]) -> str:
    """The name of the format that a file's beginning matches; the file is rewound. Raises: BadRow if of none."""
    file.seek(0)
    head = file.read(HEAD).decode("utf-8-sig", errors="replace").lstrip(" \r\n")
    file.seek(0)
    if not head:
        raise BadRow("file", None, kind.noun)
    first = head.splitlines()[0]
    if _is_object(first):
        return "jsonl"
    if any(names_columns(first, separator, kind.fields) for separator in SEPARATORS):
        return "csv"
    for name, (is_of_it, _) in kind.others.items():
        if is_of_it(first):
            return name
    expected = f"a format that can be detected: {', '.join(kind.formats)}"
    raise BadRow.saying("format", looks_like(first), expected).settled_by("format")


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return line.startswith("{")


def _by_field(record: dict[str, Any], fields: Fields) -> dict[str, Any]:
    """A record's values by field: under its own name, or else under one of the usual ones. Raises: BadRow."""
    names = {_WORDS.sub("_", name.lower()).strip("_"): name for name in record}
    values: dict[str, Any] = {}
    for own in fields.every:
        usual = [names[name] for name in fields.synonyms.get(own, "").split() if name in names]
        if own in record:
            values[own] = record[own]
        elif len(usual) > 1:
            raise BadRow.saying(own, f"the fields {' and '.join(usual)}", f"one field for {own}")
        elif usual:
            values[own] = record[usual[0]]
    for own in fields.needed:
        if own not in values:
            raise BadRow(own, None, f"the field {own}")
    return values
