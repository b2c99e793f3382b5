"""What every importer yields, and how a bad row is reported."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DescriptionRow:
    """One description of a source file. Times in seconds; duration None where the source states none."""

    line: int
    source_id: str
    text: str
    kind: str
    video_name: str
    duration: float | None
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that can't be taken: where it is, what stands there, and what should."""

    file: str
    line: int
    field: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}, {self.field}: found {self.found}, expected {self.expected}"


class BadRow(Exception):
    """Raised by a reader where it meets what it can't take; `found` is shown shortened, None as nothing."""

    def __init__(self, field: str, found: object, expected: str) -> None:
        shown = "nothing" if found is None else repr(found)
        self.field = field
        self.found = shown if len(shown) <= 80 else shown[:77] + "..."
        self.expected = expected
        super().__init__(f"{field}: found {self.found}, expected {expected}")


class BadFile(Exception):
    """A file of which nothing was imported. Carries its first problems, and how many there are."""

    SHOWN = 20

    def __init__(self, problems: list[Problem], total: int) -> None:
        self.problems = problems[: self.SHOWN]
        self.total = total
        lines = [str(problem) for problem in self.problems]
        if total > len(lines):
            lines.append(f"... and {total - len(lines)} more")
        noun = "problem" if total == 1 else "problems"
        super().__init__("\n".join([f"Nothing was imported: {total} {noun}.", *lines]))
