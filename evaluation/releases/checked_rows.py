"""What a file beside the ground truth is checked by: its rows, and what was judged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..judgments.consensus import Rule
from ..progress import Stage
from .judged_pairs import JudgedPairs
from .spilled import Spilled
from .untrusted_files import JudgedPair, csv_rows

Row = Mapping[str, str]
Stated = Mapping[str, Any]
"""What the manifest says of a file."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What was judged, filled as the files are read.

    Attributes: pairs: of raw_annotations.csv, by id; graded: pair_id -> file and grade, of val and test; files:
    query_id -> file, of these; texts: query_id -> query; nearest: of leakage.csv: training query_id -> its text, and
    where it is said to be nearest.
    """

    manifest: Mapping[str, Any]
    rule: Rule
    stage: Stage
    pairs: JudgedPairs = field(default_factory=JudgedPairs)
    graded: Spilled = field(default_factory=Spilled)
    files: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    nearest: dict[str, tuple[str, str]] = field(default_factory=dict)

    def pair(self, row: Row) -> JudgedPair | None:
        """A row's pair, if it is one of its query."""
        pair = self.pairs.get(row["pair_id"])
        return pair if pair is not None and pair.facts.query_id == row["query_id"] else None

    def has_judgment(self, row: Row) -> bool:
        """Whether a row's worker judged its pair."""
        pair = self.pair(row)
        return pair is not None and row["worker"] in pair.workers


class Rows:
    """A file's rows, and what is wrong with them.

    Attributes: tell: takes each problem; seen: the keys of the rows so far, see `key_of`; place: of the row in hand.
    """

    def __init__(self, path: Path, columns: Sequence[str], tell: Callable[..., object]) -> None:
        self.path, self.seen, self.place = path, Spilled(), path.name
        self._columns, self.tell = columns, tell

    def each(self, *key: str, again: str = "") -> Iterator[Row]:
        """Every row. Args: key: columns whose cells only one row may have; again: what is wrong with another."""
        for line, row in csv_rows(self.path, self._columns):
            self.place = f"{self.path.name}, line {line}"
            if (own := key_of(*(row[column] for column in key))) in self.seen:
                self.wrong(again.format_map(row))
            self.seen[own] = None
            yield row

    def wrong(self, problem: str) -> None:
        """Tell what is wrong with the row in hand; "" if nothing is."""
        if problem:
            self.tell(f"{self.place}: {problem}")

    def of_all(self, problem: str) -> None:
        """Tell what is wrong with the file."""
        self.tell(f"{self.path.name}: {problem}")

    def compare(self, found: object, expected: object, what: str = "", by: str = "the manifest says") -> None:
        """Tell what was found of it all, if something else was expected."""
        if found != expected:
            self.of_all(f"found {found}{what}, but {by} {expected}")


def key_of(*cells: str) -> str:
    """Cells of a row as one text.

    >>> key_of("7", "bo")
    '["7", "bo"]'
    """
    return json.dumps(cells)
