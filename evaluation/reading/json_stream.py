"""JSON read piece by piece, each piece with its line, so that files may be large and errors exact."""

from __future__ import annotations

import csv
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, TypeVar

from ..errors import Faults, InputError, shown
from ..reading.json_text import BLOCK, BrokenJson, JsonText, LongValue
from ..reading.sniffing import GZIP, looks_binary

csv.field_size_limit(max(csv.field_size_limit(), 1_000_000))  # signs of a cell; Python's own limit is 131,072
Entry = TypeVar("Entry")


def open_text(path: Path) -> IO[str]:
    """Open a text file, gzipped or not (told by its first bytes, whatever its name).

    Raises: InputError if it cannot be opened, or is plainly no text.
    """
    try:
        kind = _kind(path)
        if kind == GZIP:
            kind = _packed(path) or GZIP
        if kind not in ("", GZIP):
            raise InputError(path, "", found=kind, expected="text in UTF-8, gzipped or not")
        if kind:
            return gzip.open(path, "rt", encoding="utf-8-sig")
        return path.open(encoding="utf-8-sig")
    except OSError as error:
        found = "a folder" if path.is_dir() else (error.strerror or str(error)).lower()
        raise InputError(path, "", found=found, expected="a readable file") from error


def _kind(path: Path) -> str:
    with path.open("rb") as probe:
        return looks_binary(probe.read(512))


def _packed(path: Path) -> str:
    """What is in a gzip file, as `looks_binary`; "" as well where it can't be unpacked."""
    try:
        with gzip.open(path) as file:
            return looks_binary(file.read(512))
    except (OSError, EOFError, zlib.error):
        return ""  # reading it in earnest says what is wrong


def lines_of(path: Path) -> Iterator[str]:
    """All lines of a text file.

    Raises: InputError if the file is not UTF-8 text or its compression is broken.
    """
    number = 0
    with open_text(path) as file:
        try:
            for line in file:
                yield line
                number += 1
        except UnicodeDecodeError as error:
            raise _not_utf8(path) from error
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(
                path,
                f"after line {number}",
                found=f"broken compression ({error})",
                expected="a whole gzip file",
            ) from error


def _not_utf8(path: Path) -> InputError:
    """The first byte of a file that isn't UTF-8, with its line and its place there."""
    number = start = 0
    raw = b""
    try:
        with gzip.open(path) if _kind(path) == GZIP else path.open("rb") as file:
            for raw in file:
                number += 1
                start = _bad_byte(raw)
                if start >= 0:
                    break
    except (OSError, EOFError, zlib.error):  # broken just behind that byte
        return InputError(path, f"after line {number}", found="bytes that are not text", expected="UTF-8")
    expected = f"UTF-8 (byte {start + 1} of the line)"
    return InputError(path, f"line {number}", field="encoding", value=repr(raw[start : start + 1]), expected=expected)


def _bad_byte(line: bytes) -> int:
    """The place of the first byte that isn't UTF-8; -1 where all are."""
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return error.start
    return -1


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that hold something, numbered from 1. Raises: InputError as `lines_of`."""
    return ((number, line) for number, line in enumerate(lines_of(path), start=1) if line.strip())


def whole_text(path: Path) -> str:
    """The file's text. Raises: InputError as `lines_of`."""
    return next(_texts(path, -1), "")


def _texts(path: Path, characters: int) -> Iterator[str]:
    """The file's text, so many characters at a time; -1: all of them."""
    with open_text(path) as file:
        try:
            while text := file.read(characters):
                yield text
        except UnicodeDecodeError as error:
            raise _not_utf8(path) from error
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(path, "", found=f"broken compression ({error})", expected="a whole gzip file") from error


def head(path: Path, characters: int = 65_536) -> str:
    """The first characters of a file, without leading white space."""
    with open_text(path) as file:
        try:
            return file.read(characters).lstrip()
        except (UnicodeDecodeError, OSError, EOFError, zlib.error):
            return ""  # reading it in earnest says what is wrong, and where


def json_lines(path: Path, faults: Faults | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSON Lines file as ``("line 3", object)``.

    A line that is no JSON object is added to `faults`. Raises: InputError for it, if there are none to take it.
    """
    own = Faults() if faults is None else faults
    for number, line in text_lines(path):
        place = f"line {number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            found = f"{shown(line.strip())} ({_why(error)})"
            own.add(InputError(path, place, found=found, expected="one JSON object a line"))
        else:
            if isinstance(value, dict):
                yield place, value
                continue
            own.add(InputError(path, place, found=shown(value), expected="a JSON object"))
        if faults is None:
            own.raise_any()


def json_items(path: Path, *, streamed: bool = False) -> Iterator[tuple[str, Any]]:
    """The items of a file that is one JSON list, as ``("line 3, record 2", item)``.

    Only one item at a time is decoded; of a `streamed` file no more than that is in memory.
    Raises: InputError if the file is no such list.
    """
    parts = _texts(path, BLOCK if streamed else -1)
    for record, (line, item) in enumerate(_entries(path, JsonText.items, parts), start=1):
        yield f"line {line}, record {record}", item


def json_members(path: Path) -> Iterator[tuple[str, str, Any]]:
    """The members of a file that is one JSON object, as ``("line 3", key, value)``.

    Only one value at a time is decoded; a key that comes twice is yielded twice.
    Raises: InputError if the file is no such object.
    """
    for line, key, value in _entries(path, JsonText.members, _texts(path, -1)):
        yield f"line {line}", key, value


def _entries(path: Path, read: Callable[[JsonText], Iterator[Entry]], parts: Iterator[str]) -> Iterator[Entry]:
    try:
        yield from read(JsonText(lambda size: next(parts, "")))
    except BrokenJson as broken:
        raise broken_json(path, broken) from broken


def broken_json(path: Path, broken: BrokenJson) -> InputError:
    """What is wrong with a file, and in which line."""
    found = broken.words or ("the end of the file" if broken.found == "" else shown(broken.found))
    if broken.error is not None:
        found += f" ({_why(broken.error)})"
    return InputError(path, f"line {broken.line}", found=found, expected=broken.expected)


def _why(error: Exception) -> str:
    """Why a text is not JSON. A plain ValueError is a whole number of thousands of digits."""
    if isinstance(error, json.JSONDecodeError):
        around = error.doc[max(0, error.pos - 200) : error.pos + 200]
        at = min(error.pos, 200)
        if "," in (around[at : at + 1], around[:at].rstrip()[-1:]) and re.match(r",?\s*[\]}]", around[at:]):
            return "a comma with nothing after it"
        return error.msg
    if isinstance(error, LongValue):
        return "too long"
    return "nested too deep" if isinstance(error, RecursionError) else "a number too long"
