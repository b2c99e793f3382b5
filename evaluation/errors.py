"""Errors for files and requests that cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

Item = TypeVar("Item")
Read = TypeVar("Read")

MOST_FAULTS = 10
"""How many of a file's faults a message names."""


class EvaluationError(ValueError):
    """A request cannot be fulfilled; the message says why and what to do."""


class EvaluationWarning(UserWarning):
    """Something about files or scores that a user would want to know; `warnings.simplefilter("error",
    EvaluationWarning)` makes an error of it."""


class InputError(EvaluationError):
    """A file holds something other than expected.

    The message names the file, the place in it, what was found and what was expected; then the file's other faults,
    the first ten in all, and how many more there are.

    >>> print(InputError("run.jsonl", "line 3", found="timestamp [5, 2]", expected="start < end"))
    run.jsonl, line 3: found timestamp [5, 2], expected start < end
    """

    def __init__(
        self, path: str | Path, place: str, *, expected: str, found: str = "", field: str = "", value: str = ""
    ) -> None:
        self.path = Path(path)
        self.place = place
        self.found = found or f"{field} {value}"
        self.expected = expected
        self.field = field
        """Which field it is about, if it is about one; `value` is what was found there, without the field's name."""
        self.value = value or self.found
        self.others: list[InputError] = []
        self.more = 0
        """How many faults there are beside this one and the others."""
        super().__init__(path, place)

    def __str__(self) -> str:
        return self.in_words(self.path)

    def in_words(self, name: str | Path, end: str = "") -> str:
        """The message with this name of the file, a fault a line, each with this end."""
        lines = [
            f"{name}{fault.place and f', {fault.place}'}: found {fault.found}, expected {fault.expected}{end}"
            for fault in (self, *self.others)
        ]
        return "\n".join([*lines, *([f"... and {self.more:,} more{end}"] if self.more else [])])


class Faults:
    """Collects the faults of a file, so that its reader can go on after one: keeps the first ``most``, counts all."""

    def __init__(self, most: int = MOST_FAULTS) -> None:
        self.first: list[InputError] = []
        self.total = 0
        self._most = most

    def add(self, fault: InputError) -> None:
        """Take a fault, with the others that it names."""
        every = [fault, *fault.others]
        self.total += len(every) + fault.more
        self.first += every[: self._most - len(self.first)]

    def raise_any(self) -> None:
        """Raises: InputError naming the first ones, if there is any."""
        if self.first:
            first, *others = self.first
            first.others, first.more = others, self.total - len(self.first)
            raise first


def read_each(items: Iterable[Item], read: Callable[[Item], Read], faults: Faults | None = None) -> list[Read]:
    """What ``read`` makes of the items that can be read; the faults of the others are added to `faults`.

    Raises: InputError naming all that can't be, if there are no `faults` to take them.
    """
    own = Faults() if faults is None else faults
    results = []
    for item in items:
        try:
            results.append(read(item))
        except InputError as fault:
            own.add(fault)
    if faults is None:
        own.raise_any()
    return results


def shown(value: object, limit: int = 80) -> str:
    """A value as it may stand in a message: its repr, cut to ``limit`` characters.

    >>> shown("x" * 200, limit=12)
    "'xxxxxxxxxx…"
    """
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
