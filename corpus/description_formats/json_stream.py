"""Stream a JSON file entry by entry, with line numbers, in bounded memory.

Why not a streaming library: yajl (ijson) knows no positions, gives up on NaN, which Python writes, and turns half of
a surrogate pair into a question mark. Here one decoder reads every format, and each of these is a named problem.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from corpus.description_formats.charsets import not_in_charset
from corpus.description_formats.rows import BadRow, Unreadable

BLOCK = 1 << 16
LONGEST_ENTRY = 1 << 22
"""The longest entry in characters, which bounds memory."""
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def json_members(file: BinaryIO) -> Iterator[tuple[int, str, Any]]:
    """The members of one JSON object as (line, key, value). Raises: Unreadable where it is none."""
    stream = _Stream(file)
    stream.expect("{", "a JSON object")
    if not stream.skip("}"):
        while True:
            line = stream.line()
            key = stream.value()
            if not isinstance(key, str):
                raise Unreadable(line, BadRow("JSON", key, "a key in quotation marks"))
            stream.expect(":", "a colon after the key")
            yield line, key, stream.value()
            if stream.skip("}"):
                break
            stream.expect(",", "a comma or the end of the object")
    stream.end()


def json_items(file: BinaryIO) -> Iterator[tuple[int, Any]]:
    """The items of one JSON list as (line, item). Raises: Unreadable where it is none."""
    stream = _Stream(file)
    stream.expect("[", "a JSON list")
    if not stream.skip("]"):
        while True:
            line = stream.line()
            yield line, stream.value()
            if stream.skip("]"):
                break
            stream.expect(",", "a comma or the end of the list")
    stream.end()


class _Stream:
    """A position in a JSON text that moves token by token; only what follows it is held in memory."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0
        self._counted = 0
        self._line = 1
        self._ended = False

    def line(self) -> int:
        """The line of the next token, from 1."""
        self._space()
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def value(self) -> Any:
        """Decode the value here."""
        self._space()
        while True:
            error: ValueError | RecursionError
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
                # A number that reaches the end of what was read may go on.
                if end < len(self._text) or self._ended:
                    self._at = end
                    return value
                error = ValueError("a number too long")
            except RecursionError as deep:
                raise self._fault("JSON nested less deep") from deep
            except ValueError as failed:  # cut off here, or wrong: only more of the text tells
                error = failed
            if self._ended or len(self._text) - self._at > LONGEST_ENTRY:
                raise self._no_json(error) from error
            self._read(max(BLOCK, len(self._text) - self._at))

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
            raise self._fault(what)

    def end(self) -> None:
        """Nothing but white space may follow."""
        self._space()
        if self._at < len(self._text):
            raise self._fault("the end of the file")

    def _space(self) -> None:
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text) or self._ended:
                return
            self._read(BLOCK)

    def _read(self, size: int) -> None:
        self._line += self._text.count("\n", self._counted, self._at)
        raw = self._file.read(size)
        try:
            fresh = self._decode.decode(raw, final=not raw)
        except UnicodeDecodeError as error:
            read = self._text[self._at :] + error.object[: error.start].decode(errors="replace")
            found = error.object[error.start : error.start + 1]
            raise Unreadable(self._line + read.count("\n"), not_in_charset(self._file, found)) from error
        self._text, self._at, self._counted = self._text[self._at :] + fresh, 0, 0
        self._ended = not raw

    def _no_json(self, error: ValueError) -> Unreadable:
        if len(self._text) - self._at > LONGEST_ENTRY:
            return self._fault(f"entries of at most {LONGEST_ENTRY:,} characters, in JSON")
        if isinstance(error, json.JSONDecodeError):
            self._at = max(self._at, min(error.pos, len(self._text)))
            why = error.msg.replace("Unterminated string starting at", "the string ends")
            return self._fault(f"JSON ({why[0].lower()}{why[1:]})")
        return self._fault("JSON with shorter numbers")

    def _fault(self, expected: str) -> Unreadable:
        here = self._text[self._at : self._at + 60]
        if not here:
            return Unreadable(self.line(), BadRow.saying("JSON", "the end of the file", expected))
        return Unreadable(self.line(), BadRow("JSON", here, expected))
