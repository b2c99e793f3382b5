"""The dialect of a CSV file: its separator, and which of its columns hold what."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from corpus.description_formats.charsets import not_in_charset
from corpus.description_formats.lines import LONGEST_LINE
from corpus.description_formats.qreels_columns import NEEDED, OPTIONAL
from corpus.description_formats.rows import BadRow, FilePiece, Unreadable
from foundation.counted import counted

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}
LONGEST_ROW = 4_000_000
"""Bytes of a CSV row, whose cells may contain line breaks."""
FIELDS = (*NEEDED, *OPTIONAL)
LEFT_OUT = "-"
"""In place of a header: the field isn't taken from this file."""
SYNONYMS = {
    "video": "video_id video_name videoid videoname vid vid_id vid_name clip clip_id file file_name filename movie",
    "start": "start_time starttime start_sec start_s start_seconds time_start t_start begin begin_time from onset",
    "end": "end_time endtime end_sec end_s end_seconds time_end t_end stop stop_time finish to",
    "text": "description desc caption sentence transcript annotation",
    "id": "description_id desc_id caption_id sentence_id annotation_id",
    "kind": "type",
    "duration": "video_duration video_length movie_duration length",
    "language": "lang",
    "moment_id": "shot_id",
}
csv.field_size_limit(LONGEST_ROW)  # Python's own is 131,072
_DECIMAL_COMMA = re.compile(r"\s*[+-]?[\d:]+,\d+\s*", re.ASCII)
_ESCAPED = re.compile("[\udc80-\udcff]")
_BETWEEN_WORDS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Fields:
    """What a CSV file may have columns for: fields, and the usual headers besides their own names.

    Cells of the fields in `times` may have a decimal comma unless commas separate cells. With `own_alone`, synonyms
    count only if some needed column lacks its own name.
    """

    needed: tuple[str, ...]
    optional: tuple[str, ...]
    synonyms: Mapping[str, str]
    times: tuple[str, ...] = ()
    own_alone: bool = False

    @property
    def every(self) -> tuple[str, ...]:
        return (*self.needed, *self.optional)


OF_DESCRIPTIONS = Fields(NEEDED, OPTIONAL, SYNONYMS, ("start", "end", "duration"), own_alone=True)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a CSV file is read. `columns` has the place of each field that the header names, from 0."""

    separator: str
    """A key of `SEPARATORS`."""
    headers: tuple[str, ...]
    columns: Mapping[str, int]
    fields: Fields = OF_DESCRIPTIONS

    @property
    def ignored(self) -> list[str]:
        """The columns that nothing is taken from."""
        taken = set(self.columns.values())
        return [name for place, name in enumerate(self.headers) if name and place not in taken]

    @property
    def renamed(self) -> dict[str, str]:
        """The fields whose column is called otherwise, with its header."""
        named = {field: self.headers[place] for field, place in self.columns.items()}
        return {field: header for field, header in named.items() if header.lower() != field}


class TooLong(csv.Error):
    """A row is longer than what is read; the message says what is expected."""


class _Lines:
    """Lines as text, with bytes that are not UTF-8 kept as lone surrogates, for the rows to name."""

    def __init__(self, file: BinaryIO) -> None:
        file.seek(0)
        self._file = file
        self._encoding = "utf-8-sig"
        self.taken: list[str] = []
        """The lines of the present row."""
        self._size = 0

    def begin_row(self) -> None:
        self.taken.clear()
        self._size = 0

    def __iter__(self) -> Iterator[str]:
        while raw := self._file.readline(LONGEST_LINE + 1):
            if len(raw) > LONGEST_LINE:
                while raw and not raw.endswith(b"\n"):
                    raw = self._file.readline(LONGEST_LINE)
                raise TooLong(f"lines of at most {LONGEST_LINE:,} bytes")
            line = raw.decode(self._encoding, errors="surrogateescape")
            self._encoding = "utf-8"
            self._size += len(raw)
            if self._size > LONGEST_ROW:
                raise TooLong(f"at most {LONGEST_ROW:,} bytes")
            self.taken.append(line)
            yield line


def _rows(file: BinaryIO, separator: str) -> Iterator[tuple[int, list[str] | BadRow, list[str]]]:
    """The non-blank rows of a file from its beginning: line, cells or why there are none, and the lines as they are."""
    lines = _Lines(file)
    reader = csv.reader(lines, strict=True, delimiter=SEPARATORS[separator])
    while True:
        line = reader.line_num + 1
        lines.begin_row()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except TooLong as error:
            yield line, BadRow.saying("CSV", "a longer row", str(error)), lines.taken
            continue
        except csv.Error as error:
            why = f"a row that can't be read ({str(error).split(' - ')[0]})"
            yield line, BadRow.saying("CSV", why, "cells with their quotes closed"), lines.taken
            continue
        if any(cell.strip() for cell in cells):
            yield line, cells, lines.taken


def read_dialect(
    file: BinaryIO,
    *,
    separator: str = "",
    columns: Mapping[str, str] | None = None,
    fields: Fields = OF_DESCRIPTIONS,
) -> Dialect | None:
    """The dialect detected from a file's header; None if the file has no row. The file is rewound.

    Args:
        file: UTF-8, seekable.
        separator: a key of `SEPARATORS`; empty: the one by which the header has the columns needed.
        columns: field -> header, or `LEFT_OUT`, where somebody chose; the other fields are found by their names.
        fields: what columns are looked for.

    Raises: Unreadable for a header that hasn't the columns, or has several that may be meant.
    """
    dialects: list[Dialect] = []
    faults: list[tuple[int, Unreadable]] = []
    for name in [separator] if separator else SEPARATORS:
        line, cells, taken = next(_rows(file, name), (0, [], []))
        file.seek(0)
        if not line:
            return None
        try:
            if isinstance(cells, BadRow):
                raise cells
            dialects.append(_dialect(file, name, cells, "".join(taken).rstrip("\r\n"), columns or {}, fields))
        except BadRow as fault:
            width = 0 if isinstance(cells, BadRow) else len(cells)
            faults.append((width, Unreadable(line, fault)))
    if dialects and (len(dialects) == 1 or all(len(dialect.headers) == 1 for dialect in dialects)):
        return dialects[-1]
    if dialects:
        either = " or ".join(f"{dialect.separator}s" for dialect in dialects)
        raise Unreadable(
            1, BadRow("separator", ",".join(dialects[0].headers), f"either {either}").settled_by("separator")
        )
    # The separator that makes most cells of it is the one meant.
    raise max(faults, key=lambda fault: fault[0])[1]


def headers_of(file: BinaryIO, *, separator: str = "") -> tuple[str, ...]:
    """The cells of the first row by this separator, or by the one that makes most of them; the file is rewound."""
    rows = [next(_rows(file, name), (0, [], []))[1] for name in ([separator] if separator else SEPARATORS)]
    file.seek(0)
    return tuple(cell.strip() for cell in max((row for row in rows if isinstance(row, list)), key=len, default=[]))


def _dialect(
    file: BinaryIO, separator: str, cells: list[str], header: str, chosen: Mapping[str, str], fields: Fields
) -> Dialect:
    escaped = _ESCAPED.search(header)
    if escaped:
        raise not_in_charset(file, bytes([ord(escaped[0]) - 0xDC00]), "in the header").settled_by("charset")
    headers = tuple(cell.strip() for cell in cells)
    return Dialect(separator, headers, match_columns(headers, header, chosen, fields), fields)


def names_columns(line: str, separator: str, fields: Fields = OF_DESCRIPTIONS) -> bool:
    """Whether a line is a header by this separator: it has a column, or several that may be meant, for each needed."""
    try:
        names = [cell.strip().lower() for cell in next(csv.reader([line], delimiter=SEPARATORS[separator]))]
    except (csv.Error, StopIteration):
        return False
    return all(_places(field, names, "", fields, only_own=False) for field in fields.needed)


def match_columns(
    headers: Sequence[str], header_line: str, chosen: Mapping[str, str], fields: Fields = OF_DESCRIPTIONS
) -> dict[str, int]:
    """The place of each field among a file's headers.

    If a header of descriptions has all needed columns under their own names, its other columns are ignored. Otherwise
    usual synonyms count.

    Raises: BadRow, which a choice of the columns settles.
    """
    names = [header.lower() for header in headers]
    twice = {name for name in names if name and names.count(name) > 1}
    if twice:
        raise BadRow("header", header_line, f"the column {sorted(twice)[0]} once").settled_by("columns")
    own = fields.own_alone and all(field in names or field in chosen for field in fields.needed)
    place_of: dict[str, int] = {}
    for field in fields.every:
        places = _places(field, names, chosen.get(field, ""), fields, only_own=own)
        if len(places) > 1:
            called = " and ".join(headers[place] for place in places)
            raise BadRow.saying("header", f"the columns {called}", f"one column for {field}").settled_by("columns")
        if places:
            place_of[field] = places[0]
    if any(field not in place_of for field in fields.needed):
        raise BadRow("header", header_line, "the columns " + ", ".join(fields.needed)).settled_by("columns")
    doubly = [field for field in place_of if list(place_of.values()).count(place_of[field]) > 1]
    if doubly:
        column = headers[place_of[doubly[0]]]
        raise BadRow.saying(
            "header", f"the column {column} for {' and '.join(doubly)}", "one field a column"
        ).settled_by("columns")
    return place_of


def _places(field: str, names: Sequence[str], chosen: str, fields: Fields, *, only_own: bool) -> list[int]:
    if chosen == LEFT_OUT:
        return []
    if chosen:
        header = chosen.strip().lower()
        if header not in names:
            raise BadRow("header", ",".join(names), f"the column {chosen} for {field}").settled_by("columns")
        return [names.index(header)]
    if field in names:
        return [names.index(field)]
    if only_own:
        return []
    usual = fields.synonyms[field].split()
    return [place for place, name in enumerate(names) if _BETWEEN_WORDS.sub("_", name).strip("_") in usual]


def csv_pieces(file: BinaryIO, dialect: Dialect | None = None) -> Iterator[FilePiece]:
    """The rows of a CSV file as {column: text}; fields are called by their own names. Raises: Unreadable."""
    dialect = dialect or read_dialect(file)
    if dialect is None:
        return
    names = [header.lower() for header in dialect.headers]
    for field, place in dialect.columns.items():
        names[place] = field
    # A field that is left out must not come back through an ignored column's header.
    taken = set(dialect.columns.values())
    own = dialect.fields.every
    names = [f"{name} (ignored)" if name in own and at not in taken else name for at, name in enumerate(names)]
    rows = _rows(file, dialect.separator)
    next(rows, None)
    for line, cells, taken_lines in rows:
        if isinstance(cells, BadRow):
            yield FilePiece(line, "", "".join(taken_lines), cells)
        elif len(cells) != len(names):
            fault = BadRow.saying("CSV", counted(len(cells), "cell"), f"{len(names)}, as the header has")
            yield FilePiece(line, "", cells, fault)
        else:
            yield _piece(file, line, dict(zip(names, cells, strict=True)), dialect)


def _piece(file: BinaryIO, line: int, values: dict[str, Any], dialect: Dialect) -> FilePiece:
    for name, cell in values.items():
        escaped = _ESCAPED.search(cell)
        if escaped:
            fault = not_in_charset(file, bytes([ord(escaped[0]) - 0xDC00]), f"in {name}")
            return FilePiece(line, "", values, fault)
    if dialect.separator != "comma":
        for field in dialect.fields.times:
            if _DECIMAL_COMMA.fullmatch(values.get(field, "")):
                values[field] = values[field].replace(",", ".")
    return FilePiece(line, "", values)
