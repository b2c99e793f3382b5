"""Stream a JSON file entry by entry, with line numbers, in bounded memory."""

import codecs
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, BinaryIO, TypeVar

from corpus.description_formats.charsets import not_in_charset
from corpus.description_formats.rows import BadRow, FilePiece, Unreadable
from evaluation.reading.json_text import BrokenJson, JsonText, LongValue

LONGEST_ENTRY = 1 << 22
"""The longest entry in characters, which bounds memory."""
Entry = TypeVar("Entry")


def json_members(file: BinaryIO) -> Iterator[tuple[int, str, Any]]:
    """The members of one JSON object as (line, key, value). Raises: Unreadable where it is none."""
    return _entries(file, JsonText.members)


def json_items(file: BinaryIO, of: str = "") -> Iterator[tuple[int, Any]]:
    """The items of one JSON list, or of an object's member of this name, as (line, item). Raises: Unreadable."""
    return _entries(file, partial(JsonText.items_of, name=of) if of else JsonText.items)


def json_entries(file: BinaryIO) -> Iterator[FilePiece]:
    """One piece an item of one JSON list. Raises: Unreadable where it is none."""
    for number, (line, value) in enumerate(json_items(file), start=1):
        yield FilePiece(line, f"entry {number}", value)


def _entries(file: BinaryIO, read: Callable[[JsonText], Iterator[Entry]]) -> Iterator[Entry]:
    try:
        yield from read(JsonText(_decoded(file), LONGEST_ENTRY))
    except BrokenJson as broken:
        raise _unreadable(broken) from broken


def _decoded(file: BinaryIO) -> Callable[[int], str]:
    """What reads so many bytes more of a file, as text. Raises: Unreadable where they aren't of its charset."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line = 1

    def more(size: int) -> str:
        nonlocal line
        text, raw = "", b"\n"
        while raw and not text:
            raw = file.read(size)
            try:
                text = decoder.decode(raw, final=not raw)
            except UnicodeDecodeError as error:
                line += error.object.count(b"\n", 0, error.start)
                fault = not_in_charset(file, error.object[error.start : error.start + 1])
                raise Unreadable(line, fault) from error
        line += text.count("\n")
        return text

    return more


def _unreadable(broken: BrokenJson) -> Unreadable:
    found, expected = broken.found, broken.expected
    if isinstance(broken.error, LongValue):
        expected = f"entries of at most {LONGEST_ENTRY:,} characters, in JSON"
    elif isinstance(broken.error, json.JSONDecodeError):
        why = broken.error.msg.replace("Unterminated string starting at", "the string ends")
        found, expected = broken.wrong, f"JSON ({why[0].lower()}{why[1:]})"
    elif broken.error is not None:
        expected = "JSON nested less deep" if isinstance(broken.error, RecursionError) else "JSON with shorter numbers"
    words = broken.words or ("the end of the file" if found == "" else "")
    return Unreadable(broken.line, BadRow.saying("JSON", words, expected) if words else BadRow("JSON", found, expected))
