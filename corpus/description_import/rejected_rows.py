"""Problems of an import: counted, the first ones kept, rejected rows written to a file."""

import json
from bisect import insort
from typing import IO, Any

from corpus.description_formats import BadFile, BadRow, Problem


class Rejections:
    """Collects the problems of one file, in any order; writes rejected rows to `rows`, if given, as JSON Lines."""

    def __init__(self, file_name: str, rows: IO[str] | None = None) -> None:
        self.file_name = file_name
        self.total = 0
        self._rows = rows
        self._first: list[tuple[int, int, Problem]] = []

    def add(self, line: int, entry: str, fault: BadRow, raw: str | None) -> None:
        """Add a problem; `raw` is the row as JSON."""
        problem = fault.at(self.file_name, line, entry)
        self.total += 1
        insort(self._first, (line, self.total, problem))
        del self._first[BadFile.SHOWN :]
        if self._rows is not None:
            facts: dict[str, Any] = {"line": line, "field": fault.field, "found": fault.found}
            facts |= {"expected": fault.expected} | ({"entry": entry} if entry else {})
            self._rows.write(f'{json.dumps(facts, ensure_ascii=True)[:-1]}, "row": {raw or "null"}}}\n')

    @property
    def first(self) -> list[Problem]:
        """The problems of the earliest lines, at most BadFile.SHOWN."""
        return [problem for _, _, problem in self._first]

    def as_error(self) -> BadFile:
        return BadFile(self.first, self.total)


def as_json(value: object) -> str:
    """A decoded row as JSON in ASCII, whatever it holds."""
    try:
        return json.dumps(value)
    except (RecursionError, ValueError):
        return json.dumps("a value nested too deep")
