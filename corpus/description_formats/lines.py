"""Read a file line by line, with line numbers and bounded length."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from corpus.description_formats.rows import BadRow, Piece, Unreadable

LONGEST_LINE = 1_000_000
"""Bytes. A longer line means a file of another format."""
LONGEST_ROW = 4_000_000
"""Bytes of a CSV row, whose cells may contain line breaks."""
_ESCAPED = re.compile("[\udc80-\udcff]")


def text_lines(file: BinaryIO) -> Iterator[Piece]:
    """The non-blank lines of a file, numbered from 1 over all lines; a byte order mark is skipped."""
    number = 0
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(raw) > LONGEST_LINE:
            start = raw[:200].decode(errors="backslashreplace")
            while raw and not raw.endswith(b"\n"):
                raw = file.readline(LONGEST_LINE)
            yield Piece(number, "", start, BadRow("line", start, f"at most {LONGEST_LINE:,} bytes a line"))
            continue
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            found = raw[error.start : error.start + 1]
            fault = BadRow("encoding", found, f"UTF-8 (byte {error.start + 1})")
            yield Piece(number, "", raw.decode(errors="backslashreplace").rstrip("\r\n"), fault)
            continue
        if text.strip():
            yield Piece(number, "", text.rstrip("\r\n"))


def json_lines(file: BinaryIO) -> Iterator[Piece]:
    """The objects of a JSON Lines file."""
    for piece in text_lines(file):
        if piece.fault is not None:
            yield piece
            continue
        try:
            value = json.loads(piece.value)
        except (ValueError, RecursionError):  # ValueError also for a number of thousands of digits
            value, found = piece.value, piece.value.strip()
        else:
            if isinstance(value, dict):
                yield Piece(piece.line, "", value)
                continue
            found = value
        yield Piece(piece.line, "", value, BadRow("JSON", found, "one JSON object a line"))


class _Escaped:
    """Lines as text, with bytes that are not UTF-8 kept as lone surrogates, for the rows to name."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._encoding = "utf-8-sig"
        self.taken: list[str] = []
        """The lines of the present row."""
        self._size = 0

    def begin_row(self) -> None:
        self.taken.clear()
        self._size = 0

    def __iter__(self) -> Iterator[str]:
        while raw := self._file.readline(LONGEST_LINE):
            line = raw.decode(self._encoding, errors="surrogateescape")
            self._encoding = "utf-8"
            self._size += len(raw)
            if self._size > LONGEST_ROW:
                raise csv.Error(f"more than {LONGEST_ROW:,} bytes")
            self.taken.append(line)
            yield line


def csv_rows(needed: tuple[str, ...]) -> Callable[[BinaryIO], Iterator[Piece]]:
    """A reader of CSV with a header line that has at least the needed columns; yields rows as {column: text}."""

    def rows(file: BinaryIO) -> Iterator[Piece]:
        lines = _Escaped(file)
        reader = csv.reader(lines, strict=True)
        header: list[str] | None = None
        while True:
            line = reader.line_num + 1
            lines.begin_row()
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                fault = BadRow.saying(
                    "CSV", f"a row that can't be read ({str(error).split(' - ')[0]})", "cells with their quotes closed"
                )
                if header is None:
                    raise Unreadable(line, fault) from error
                yield Piece(line, "", "".join(lines.taken), fault)
                continue
            if header is None:
                if any(cell.strip() for cell in cells):
                    header = _header(cells, needed, line)
            elif any(cell.strip() for cell in cells):
                yield _csv_piece(cells, header, line)

    return rows


def _header(cells: list[str], needed: tuple[str, ...], line: int) -> list[str]:
    fault = _not_utf8(",".join(cells), "the header")
    if fault is not None:
        raise Unreadable(line, fault)
    names = [cell.strip().lower() for cell in cells]
    missing = [name for name in needed if name not in names]
    if missing:
        raise Unreadable(line, BadRow("header", ",".join(cells), "the columns " + ", ".join(needed)))
    twice = {name for name in names if name and names.count(name) > 1}
    if twice:
        raise Unreadable(line, BadRow("header", ",".join(cells), f"the column {sorted(twice)[0]} once"))
    return names


def _csv_piece(cells: list[str], header: list[str], line: int) -> Piece:
    values: dict[str, Any] = dict(zip(header, cells, strict=False))
    if len(cells) != len(header):
        fault = BadRow.saying("CSV", f"{len(cells)} cells", f"{len(header)}, as the header has")
        return Piece(line, "", cells, fault)
    return Piece(line, "", values, next(filter(None, map(_not_utf8, cells, header)), None))


def _not_utf8(text: str, where: str) -> BadRow | None:
    escaped = _ESCAPED.search(text)
    if escaped is None:
        return None
    return BadRow("encoding", bytes([ord(escaped[0]) - 0xDC00]), f"UTF-8 in {where}")
