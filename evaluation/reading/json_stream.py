"""JSON read piece by piece, each piece with its line, so that files may be large and errors exact."""

from __future__ import annotations

import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from evaluation.errors import Faults, InputError, shown
from evaluation.reading.sniffing import GZIP, looks_binary

csv.field_size_limit(max(csv.field_size_limit(), 1_000_000))  # signs of a cell; Python's own limit is 131,072
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def open_text(path: Path) -> IO[str]:
    """Open a text file, gzipped or not (told by its first bytes, whatever its name).

    Raises: InputError if it cannot be opened, or is plainly no text.
    """
    try:
        with path.open("rb") as probe:
            kind = looks_binary(probe.read(512))
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


def _packed(path: Path) -> str:
    """What is in a gzip file, as `looks_binary`; "" as well where it can't be unpacked."""
    try:
        with gzip.open(path) as file:
            return looks_binary(file.read(512))
    except (OSError, EOFError, zlib.error):
        return ""  # reading it in earnest says what is wrong


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that hold something, numbered from 1.

    Raises: InputError if the file is not UTF-8 text or its compression is broken.
    """
    number = 0
    with open_text(path) as file:
        try:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line
        except UnicodeDecodeError as error:
            raise InputError(path, f"after line {number}", found="bytes that are not text", expected="UTF-8") from error
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(
                path,
                f"after line {number}",
                found=f"broken compression ({error})",
                expected="a whole gzip file",
            ) from error


def whole_text(path: Path) -> str:
    """The file's text. Raises: InputError as `text_lines`."""
    with open_text(path) as file:
        try:
            return file.read()
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            found = repr(error.object[error.start : error.end])
            raise InputError(path, f"line {line}", found=found, expected="UTF-8") from error
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


def json_items(path: Path) -> Iterator[tuple[str, Any]]:
    """The items of a file that is one JSON list, as ``("line 3, record 2", item)``.

    Only one item at a time is decoded. Raises: InputError if the file is no such list.
    """
    stream = _Stream(path)
    stream.expect("[", "a JSON list")
    if not stream.skip("]"):
        record = 1
        while True:
            place = f"line {stream.line()}, record {record}"
            yield place, stream.value()
            if stream.skip("]"):
                break
            stream.comma("]", "a comma or the end of the list")
            record += 1
    stream.end()


def json_members(path: Path) -> Iterator[tuple[str, str, Any]]:
    """The members of a file that is one JSON object, as ``("line 3", key, value)``.

    Only one value at a time is decoded; a key that comes twice is yielded twice.
    Raises: InputError if the file is no such object.
    """
    stream = _Stream(path)
    stream.expect("{", "a JSON object")
    if not stream.skip("}"):
        while True:
            place = f"line {stream.line()}"
            key = stream.value()
            if not isinstance(key, str):
                raise InputError(path, place, found=shown(key), expected="a key in quotation marks")
            stream.expect(":", "a colon after the key")
            yield place, key, stream.value()
            if stream.skip("}"):
                break
            stream.comma("}", "a comma or the end of the object")
    stream.end()


class _Stream:
    """A place in a JSON text that moves from token to token."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._text = whole_text(path)
        self._at = 0
        self._counted = (0, 1)

    def line(self) -> int:
        """The line of the next token, from 1."""
        self._space()
        at, line = self._counted
        self._counted = (self._at, line + self._text.count("\n", at, self._at))
        return self._counted[1]

    def value(self) -> Any:
        """Decode the value here."""
        self._space()
        try:
            value, self._at = _DECODER.raw_decode(self._text, self._at)
        except (ValueError, RecursionError) as error:
            line = error.lineno if isinstance(error, json.JSONDecodeError) else self.line()
            found = f"{self._here()} ({_why(error)})"
            raise InputError(self._path, f"line {line}", found=found, expected="JSON") from error
        return value

    def skip(self, token: str) -> bool:
        """Step over a token if it is here."""
        self._space()
        if self._text.startswith(token, self._at):
            self._at += len(token)
            return True
        return False

    def expect(self, token: str, what: str) -> None:
        """Step over a token that must be here."""
        if not self.skip(token):
            raise InputError(self._path, f"line {self.line()}", found=self._here(), expected=what)

    def comma(self, end: str, what: str) -> None:
        """Step over a comma that must be here, with something after it."""
        self.expect(",", what)
        line = self.line()
        if self._text.startswith(end, self._at):
            raise InputError(self._path, f"line {line}", found=f"a comma before the final {end}", expected="none there")

    def end(self) -> None:
        """Nothing but white space may follow."""
        self._space()
        if self._at < len(self._text):
            raise InputError(self._path, f"line {self.line()}", found=self._here(), expected="the end of the file")

    def _space(self) -> None:
        space = _SPACE.match(self._text, self._at)
        self._at = space.end() if space else self._at

    def _here(self) -> str:
        return shown(self._text[self._at : self._at + 60]) if self._at < len(self._text) else "the end of the file"


def _why(error: Exception) -> str:
    """Why a text is not JSON. A plain ValueError is a whole number of thousands of digits."""
    if isinstance(error, json.JSONDecodeError):
        around = error.doc[max(0, error.pos - 200) : error.pos + 200]
        at = min(error.pos, 200)
        if "," in (around[at : at + 1], around[:at].rstrip()[-1:]) and re.match(r",?\s*[\]}]", around[at:]):
            return "a comma with nothing after it"
        return error.msg
    return "nested too deep" if isinstance(error, RecursionError) else "a number too long"
