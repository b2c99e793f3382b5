"""A JSON text read from token to token, so that it may be large, and a fault has its line.

Why not a streaming library: yajl (ijson) knows no positions, gives up on NaN, which Python writes, and turns half of a
surrogate pair into a question mark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

BLOCK = 1 << 16
"""Characters that are read at a time, at least."""
_SHOWN = 60
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class LongValue(ValueError):
    """A value is longer than what is read."""


class BrokenJson(Exception):
    """A text is no JSON from this `line` on.

    Attributes: found: the text there ("" at its end), or a value; words: what was found, where words say it better;
    error: why the value there can't be decoded; wrong: then, the text from the character at which decoding failed.
    """

    def __init__(
        self,
        line: int,
        found: object,
        expected: str,
        *,
        words: str = "",
        error: Exception | None = None,
        wrong: str = "",
    ) -> None:
        self.line, self.found, self.expected, self.words = line, found, expected, words
        self.error, self.wrong = error, wrong
        super().__init__(f"line {line}: expected {expected}")


class JsonText:
    """A place in a JSON text that moves from token to token; only what follows it is held in memory.

    Args:
        more: gives more of the text, about so many characters; "" at its end alone.
        longest: the most characters of one entry, which bounds memory; None: any.
        decoder: of values.
    """

    def __init__(
        self, more: Callable[[int], str], longest: int | None = None, decoder: json.JSONDecoder = _DECODER
    ) -> None:
        self._more, self._longest, self._decoder = more, longest, decoder
        self._text, self._at, self._ended = "", 0, False
        self._counted, self._line = 0, 1

    def items(self) -> Iterator[tuple[int, Any]]:
        """The items of one JSON list, as (line, item). Raises: BrokenJson where it is none."""
        yield from self._items()
        self._end()

    def members(self) -> Iterator[tuple[int, str, Any]]:
        """The members of one JSON object, as (line, key, value). Raises: BrokenJson where it is none."""
        for line, key in self._keys():
            yield line, key, self._value()
        self._end()

    def items_of(self, name: str) -> Iterator[tuple[int, Any]]:
        """The items of the list that one JSON object has under this name, as (line, item); its other members are passed
        over. Raises: BrokenJson where there is no such list."""
        found = False
        for _, key in self._keys():
            if key == name:
                found = True
                yield from self._items()
            else:
                self._value()
        self._end()
        if not found:
            raise BrokenJson(self._next_line(), "", f'a list "{name}" in the object', words="no such member")

    def _items(self) -> Iterator[tuple[int, Any]]:
        self._expect("[", "a JSON list")
        if not self._skip("]"):
            while True:
                line = self._next_line()
                yield line, self._value()
                if self._skip("]"):
                    break
                self._comma("]", "a comma or the end of the list")

    def _keys(self) -> Iterator[tuple[int, str]]:
        """The keys of an object; whoever asks for the next has stepped over the value of the last."""
        self._expect("{", "a JSON object")
        if not self._skip("}"):
            while True:
                line = self._next_line()
                key = self._value()
                if not isinstance(key, str):
                    raise BrokenJson(line, key, "a key in quotation marks")
                self._expect(":", "a colon after the key")
                yield line, key
                if self._skip("}"):
                    break
                self._comma("}", "a comma or the end of the object")

    def _next_line(self) -> int:
        """The line of the next token, from 1."""
        self._space()
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _value(self) -> Any:
        self._space()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
                # A number that reaches the end of what was read may go on.
                if end < len(self._text) or self._ended:
                    self._at = end
                    return value
                error = ValueError("a number that may go on")
            except RecursionError as deep:
                raise self._undecoded(deep) from deep
            except ValueError as failed:  # cut off here, or wrong: only more of the text tells
                error = failed
            if self._longest is not None and len(self._text) - self._at > self._longest:
                error = LongValue()
            if self._ended or isinstance(error, LongValue):
                raise self._undecoded(error) from error
            self._read(max(BLOCK, len(self._text) - self._at))

    def _undecoded(self, error: Exception) -> BrokenJson:
        found = wrong = self._here()
        if isinstance(error, json.JSONDecodeError):
            self._at = max(self._at, min(error.pos, len(self._text)))
            wrong = self._here()
        return BrokenJson(self._next_line(), found, "JSON", error=error, wrong=wrong)

    def _skip(self, token: str) -> bool:
        """Step over a token if it is here."""
        self._space()
        if self._text.startswith(token, self._at):
            self._at += len(token)
            return True
        return False

    def _expect(self, token: str, expected: str) -> None:
        """Step over a token that must be here."""
        if not self._skip(token):
            raise BrokenJson(self._next_line(), self._here(), expected)

    def _comma(self, end: str, expected: str) -> None:
        """Step over a comma that must be here, with something after it."""
        self._expect(",", expected)
        line = self._next_line()
        if self._text.startswith(end, self._at):
            raise BrokenJson(line, end, "none there", words=f"a comma before the final {end}")

    def _end(self) -> None:
        """Nothing but white space may follow."""
        self._space()
        if self._at < len(self._text):
            raise BrokenJson(self._next_line(), self._here(), "the end of the file")

    def _space(self) -> None:
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._text) or self._ended:
                return
            self._read(BLOCK)

    def _read(self, size: int) -> None:
        self._line += self._text.count("\n", self._counted, self._at)
        fresh = self._more(size)
        self._text, self._at, self._counted = self._text[self._at :] + fresh, 0, 0
        self._ended = not fresh

    def _here(self) -> str:
        return self._text[self._at : self._at + _SHOWN]
