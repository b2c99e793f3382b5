"""Read a file line by line, with line numbers and bounded length."""

import json
from collections.abc import Iterator
from typing import BinaryIO

from corpus.description_formats.charsets import not_in_charset
from corpus.description_formats.rows import BadRow, FilePiece

LONGEST_LINE = 1_000_000
"""Bytes. A longer line means a file of another format."""


def text_lines(file: BinaryIO) -> Iterator[FilePiece]:
    """The non-blank lines of a file, numbered from 1 over all lines; a byte order mark is skipped."""
    number = 0
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(raw) > LONGEST_LINE:
            start = raw[:200].decode(errors="backslashreplace")
            while raw and not raw.endswith(b"\n"):
                raw = file.readline(LONGEST_LINE)
            yield FilePiece(number, "", start, BadRow("line", start, f"at most {LONGEST_LINE:,} bytes a line"))
            continue
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            fault = not_in_charset(file, raw[error.start : error.start + 1], byte=error.start + 1)
            yield FilePiece(number, "", raw.decode(errors="backslashreplace").rstrip("\r\n"), fault)
            continue
        if text.strip():
            yield FilePiece(number, "", text.rstrip("\r\n"))


def json_lines(file: BinaryIO) -> Iterator[FilePiece]:
    """The objects of a JSON Lines file."""
    for piece in text_lines(file):
        if piece.fault is not None:
            yield piece
            continue
        try:
            value = json.loads(piece.value)
        except (ValueError, RecursionError):  # ValueError also for a number of thousands of digits
            value, shown = piece.value, piece.value.strip()
        else:
            if isinstance(value, dict):
                yield FilePiece(piece.line, "", value)
                continue
            shown = value
        yield FilePiece(piece.line, "", value, BadRow("JSON", shown, "one JSON object a line"))
