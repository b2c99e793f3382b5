"""Errors for files and requests that cannot be used."""

from __future__ import annotations

from pathlib import Path


class EvaluationError(ValueError):
    """A request cannot be fulfilled; the message says why and what to do."""


class InputError(EvaluationError):
    """A file holds something other than expected.

    The message names the file, the place in it, what was found and what was expected:

    >>> print(InputError("run.jsonl", "line 3", found="timestamp [5, 2]", expected="start < end"))
    run.jsonl, line 3: found timestamp [5, 2], expected start < end
    """

    def __init__(self, path: str | Path, place: str, *, found: str, expected: str) -> None:
        self.path = Path(path)
        self.place = place
        self.found = found
        self.expected = expected
        where = f"{path}, {place}" if place else str(path)
        super().__init__(f"{where}: found {found}, expected {expected}")


def shown(value: object, limit: int = 80) -> str:
    """A value as it may stand in a message: its repr, cut to ``limit`` characters.

    >>> shown("x" * 200, limit=12)
    "'xxxxxxxxxx…"
    """
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
