"""What an outlet is: a module that writes a release for a tool and says what gets lost."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ..outlets.release import Release
from ..reading.subtitles import SubtitleLine
from ..releases.queries import Query

Left = tuple[int, str, str]
"""How many of what are not as in the release, and what is with them: `(3, "query", "without a moment left out")`."""


@dataclass(frozen=True)
class Wanted:
    """What is asked of an outlet.

    Attributes: relevant: the least grade that counts as relevant where a format knows relevant and not alone;
    subtitles: each video's lines, if there are any; moment_ids: ids of moments from elsewhere, by (video, start, end),
    in place of the release's own.
    """

    relevant: float = 1.0
    subtitles: Mapping[str, Sequence[SubtitleLine]] = field(default_factory=dict)
    moment_ids: Mapping[tuple[str, float, float], str] = field(default_factory=dict)


class Outlet(Protocol):
    """What an outlet's module offers."""

    @property
    def NAME(self) -> str: ...

    @property
    def READ_BY(self) -> str: ...

    @property
    def LOSES(self) -> str: ...

    def write(self, release: Release, wanted: Wanted, folder: Path) -> list[Left]:
        """Write the files into an empty folder. Returns: what was left out of this release.

        Raises: InputError, EvaluationError; the folder may then hold a part.
        """


@dataclass
class LeftOut:
    """Counts what a binary format leaves out."""

    least: float
    moments: int = 0
    queries: int = 0

    def relevant(self, query: Query) -> Query:
        """The query with its relevant moments alone."""
        relevant = query.relevant(self.least)
        self.moments += len(query.moments) - len(relevant)
        self.queries += not relevant
        return Query(query.query_id, query.text, tuple(relevant))

    def told(self) -> list[Left]:
        """What was left out."""
        return [
            (self.moments, "pair", f"below grade {self.least:g} left out"),
            (self.queries, "query", f"without a moment from grade {self.least:g} on left out"),
        ]


def write_json(path: Path, value: Any) -> None:
    """One JSON text."""
    path.write_text(json.dumps(value, ensure_ascii=False) + "\n", encoding="utf-8")


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> int:
    """JSON Lines. Returns: how many."""
    lines = 0
    with path.open("w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            lines += 1
    return lines


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, delimiter: str = ",") -> None:
    """CSV with a header."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def one_line(text: str) -> str:
    """A text in one line, without tabs.

    >>> one_line("a man\\n\\treads")
    'a man reads'
    """
    return " ".join(text.split())
