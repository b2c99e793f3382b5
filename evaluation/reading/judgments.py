"""Files of judgments, one row a judgment: with what its pair is about or without, told by their content.

- CSV with the columns pair_id, worker and relevance, as a release's or TVR-Ranking's own; query_id, video_name and
  timestamp say what a pair is about;
- qrels of several assessors, ``query_id assessor moment_id grade``;
- Label Studio's export: JSON, JSON-MIN, CSV or TSV.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from unicodedata import normalize

import numpy as np

from evaluation.arrays import IntArray
from evaluation.errors import Faults, InputError, shown
from evaluation.formats.trec_ids import split_moment_id
from evaluation.reading.fields import interval
from evaluation.reading.json_stream import head, open_text, text_lines
from evaluation.reading.label_studio import is_label_studio, label_studio_judgments
from evaluation.reading.sniffing import looks_like

NEEDED = ("pair_id", "worker", "relevance")
ABOUT = ("query_id", "video_name", "timestamp")
OF_QRELS = "query_id assessor moment_id grade"
EXPECTED = f"a CSV file with the columns {', '.join(NEEDED)}; Label Studio's export; or qrels: {OF_QRELS}"

Moment = tuple[str, str, float, float]
"""A pair's query_id, video_name, start and end in seconds."""
Row = tuple[str, str, int, Moment | None]
"""One judgment: pair_id, worker, grade, and the pair's moment if the file says it."""


@dataclass(frozen=True, eq=False)
class Judgments:
    """The judgments of a file, in its order.

    Attributes (J judgments, P pairs): name: the file's. pair_ids: P ids. workers: their ids. pair, worker: shape (J,),
    places in these two. grade: shape (J,), from 0 on. moments: P moments, None if the file doesn't say them.
    """

    name: str
    pair_ids: tuple[str, ...]
    workers: tuple[str, ...]
    pair: IntArray
    worker: IntArray
    grade: IntArray
    moments: tuple[Moment, ...] | None = None

    def __len__(self) -> int:
        return len(self.grade)

    @cached_property
    def count(self) -> IntArray:
        """How many judgments each pair has: shape (P,)."""
        return np.bincount(self.pair, minlength=len(self.pair_ids)).astype(np.int64)

    @cached_property
    def table(self) -> IntArray:
        """Each pair's grades in the file's order, -1 past its end: shape (P, most judgments that a pair has)."""
        order = np.argsort(self.pair, kind="stable")
        nth = np.arange(len(order)) - np.repeat(np.cumsum(self.count) - self.count, self.count)
        table = np.full((len(self.pair_ids), int(self.count.max(initial=0))), -1, dtype=np.int64)
        table[self.pair[order], nth] = self.grade[order]
        return table

    def grades_by_pair(self, chosen: IntArray | None = None) -> list[tuple[int, ...]]:
        """Each pair's grades in the file's order; of the judgments at the `chosen` places alone, if there are any."""
        grades: list[list[int]] = [[] for _ in self.pair_ids]
        pair, grade = (self.pair, self.grade) if chosen is None else (self.pair[chosen], self.grade[chosen])
        for place, value in zip(pair.tolist(), grade.tolist(), strict=True):
            grades[place].append(value)
        return list(map(tuple, grades))


def read_judgments(path: Path | str, *, top_grade: int = 4, ratings: str = "1-5") -> Judgments:
    """Read a file of judgments.

    Args: top_grade: grades are whole numbers from 0 to this. ratings: what Label Studio's are, see `label_studio`.
    Raises: InputError naming the first ten faults, by line, what was found and expected.
    """
    path = Path(path)
    faults = Faults()
    pairs: dict[str, int] = {}
    workers: dict[str, int] = {}
    moments: list[Moment | None] = []
    rows: list[tuple[int, int, int]] = []
    for place, (pair_id, worker, grade, moment) in _reader_of(path, ratings)(path, top_grade, faults):
        number = pairs.setdefault(normalize("NFC", pair_id), len(pairs))
        if number == len(moments):
            moments.append(moment)
        elif moments[number] != moment:
            found = f"pair_id {shown(pair_id)} with another query or moment than above"
            faults.add(InputError(path, place, found=found, expected="one query and one moment a pair"))
        rows.append((number, workers.setdefault(normalize("NFC", worker), len(workers)), grade))
    faults.raise_any()
    if not rows:
        raise InputError(path, "", found="no judgment", expected=EXPECTED)
    pair, worker_of, grades = np.array(rows, dtype=np.int64).T
    known = [moment for moment in moments if moment is not None]
    return Judgments(
        path.name,
        tuple(pairs),
        tuple(workers),
        pair,
        worker_of,
        grades,
        tuple(known) if len(known) == len(moments) else None,
    )


Reader = Callable[[Path, int, Faults], Iterator[tuple[str, Row]]]


def _reader_of(path: Path, ratings: str) -> Reader:
    beginning = head(path)
    first = beginning.partition("\n")[0]
    if is_label_studio(beginning):
        return partial(label_studio_judgments, ratings=ratings)
    names = next(csv.reader([first], delimiter=_delimiter(first)), [])
    if len(set(NEEDED) & set(names)) > 1:
        return _of_csv
    if len(first.split()) == 4 and "," not in first:
        return _of_qrels
    raise InputError(path, "line 1", found=looks_like(beginning), expected=EXPECTED)


def _delimiter(first: str) -> str:
    return "\t" if "\t" in first and "," not in first else ","


def _of_csv(path: Path, top_grade: int, faults: Faults) -> Iterator[tuple[str, Row]]:
    with open_text(path) as file:
        delimiter = _delimiter(file.readline())
        file.seek(0)
        rows = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            header = next(rows)
            missing = [name for name in NEEDED if header.count(name) != 1]
            if missing:
                found = f"no column {', '.join(missing)} in {shown(delimiter.join(header))}"
                raise InputError(path, "line 1", found=found, expected=", ".join(NEEDED))
            columns = [header.index(name) for name in NEEDED]
            about = [header.index(name) for name in ABOUT] if all(header.count(name) == 1 for name in ABOUT) else []
            for row in rows:
                place = f"line {rows.line_num}"
                try:
                    if row:
                        yield place, _row(path, place, row, len(header), columns, about, top_grade)
                except InputError as fault:
                    faults.add(fault)
        except (UnicodeDecodeError, csv.Error) as error:
            faults.add(InputError(path, f"line {rows.line_num}", found=str(error), expected="a CSV file in UTF-8"))


def _row(
    path: Path, place: str, row: list[str], length: int, columns: Sequence[int], about: Sequence[int], top_grade: int
) -> Row:
    if len(row) != length:
        raise InputError(path, place, found=f"{len(row)} columns", expected=f"{length}, as the header has")
    pair_id, worker, grade = (row[column] for column in columns)
    for name, value in (("pair_id", pair_id), ("worker", worker)):
        if not value.strip():
            raise InputError(path, place, found=f"{name} {shown(value)}", expected="an id")
    moment = None
    if about:
        query_id, video, timestamp = (row[column] for column in about)
        moment = (query_id, video, *interval(path, place, decoded(timestamp)))
    return pair_id, worker, _grade(path, place, grade, top_grade), moment


def decoded(text: str) -> object:
    """The value of a cell that holds JSON; the text of one that doesn't."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _grade(path: Path, place: str, text: str, top_grade: int, what: str = "relevance") -> int:
    if not text.strip().isdecimal() or not 0 <= int(text) <= top_grade:
        expected = f"a whole number from 0 to {top_grade}"
        raise InputError(path, place, found=f"{what} {shown(text)}", expected=expected)
    return int(text)


def _of_qrels(path: Path, top_grade: int, faults: Faults) -> Iterator[tuple[str, Row]]:
    """Of several assessors, whose names stand in the second column; -1 is not judged."""
    for number, line in text_lines(path):
        place = f"line {number}"
        columns = line.split()
        try:
            if len(columns) != 4:
                raise InputError(path, place, found=looks_like(line), expected=OF_QRELS)
            query_id, assessor, moment_id, grade = columns
            try:
                moment = split_moment_id(moment_id)
            except ValueError as error:
                raise InputError(path, place, found=shown(moment_id), expected="video@start-end") from error
            if grade != "-1":
                row = _grade(path, place, grade, top_grade, "grade"), (query_id, *moment)
                yield place, (f"{query_id} {moment_id}", assessor, *row)
        except InputError as fault:
            faults.add(fault)
