"""Rows that the readers of description files yield, and how a bad row is reported."""

from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from foundation.refused import Refused

_LONG = 80


class FilePiece(NamedTuple):
    """The decoded part of a file about one description; `fault` says why it couldn't be decoded."""

    line: int
    entry: str
    """Where in a line or in whole-file JSON: "entry 3", "window 2"; empty where the line says it all."""
    value: Any
    fault: "BadRow | None" = None


class DescriptionRow(NamedTuple):
    """One description of a source file. Times in seconds; None where the source states nothing."""

    line: int
    entry: str
    source_id: str
    derived: bool
    """Whether the id was made from the row itself (`fields.derived_id`), since the source gives none."""
    text: str
    kind: str | None
    language: str | None
    video_name: str
    duration: float | None
    start: float
    end: float
    moment_id: str | None = None
    """What the moment is called elsewhere."""


class Problem(NamedTuple):
    """A rejected row: file, line (0: `entry` says where) and field, what was found and what was expected."""

    file: str
    line: int
    field: str
    found: str
    expected: str
    entry: str = ""
    choice: str = ""
    """Which of the `Choices` would settle it; empty: none."""

    def __str__(self) -> str:
        line = f"line {self.line}" if self.line else ""
        place = ", ".join(filter(None, (self.file, line, self.entry, self.field)))
        return f"{place}: found {self.found}, expected {self.expected}"


def shown(value: object) -> str:
    """A value as it may stand in a message: its repr, cut to 80 characters; None is shown as nothing."""
    if value is None:
        return "nothing"
    try:
        text = repr(value)
    except RecursionError:
        return "a value nested too deep"
    return text if len(text) <= _LONG else text[: _LONG - 3] + "..."


class BadRow(Exception):
    """A row that a reader rejects: field, what was found (as `shown`) and what was expected."""

    choice = ""
    """Which of the `Choices` would settle it; empty: none."""

    def __init__(self, field: str, found: object, expected: str) -> None:
        self.field = field
        self.found = shown(found)
        self.expected = expected
        super().__init__(f"{field}: found {self.found}, expected {expected}")

    @classmethod
    def saying(cls, field: str, found: str, expected: str) -> "BadRow":
        """A BadRow whose `found` is given in words, not as a value."""
        bad = cls(field, None, expected)
        bad.found = found
        return bad

    def settled_by(self, choice: str) -> "BadRow":
        """The same, settled by one of the `Choices`: what a page says beside that field, a command of that option."""
        self.choice = choice
        return self

    def refusal(self) -> Refused:
        """As a form is refused, at this field."""
        return Refused(_("Found %(found)s, expected %(expected)s.") % vars(self), self.field)

    def at(self, file: str, line: int, entry: str = "") -> Problem:
        return Problem(file, line, self.field, self.found, self.expected, entry, self.choice)


class Unreadable(Exception):
    """A file can't be read beyond this line, so skipping one bad row wouldn't help."""

    def __init__(self, line: int, fault: BadRow) -> None:
        self.line, self.fault = line, fault
        super().__init__(str(fault))


class BadFile(Refused):
    """A file that was refused as a whole, with its first problems and their total."""

    SHOWN = 10

    def __init__(self, problems: list[Problem], total: int) -> None:
        self.problems = problems[: self.SHOWN]
        self.total = total
        lines = [str(problem) for problem in self.problems]
        if total > len(lines):
            lines.append(f"... and {total - len(lines):,} more")
        noun = "problem" if total == 1 else "problems"
        super().__init__("\n".join([f"Nothing was imported: {total:,} {noun}.", *lines]))
