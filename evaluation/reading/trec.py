"""TREC's run and qrels files, with moment ids as documents."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..errors import Faults, InputError, shown
from ..formats.trec_ids import read_ids, split_moment_id
from ..moments.ground_truth import JudgedMoment, PooledMoment
from ..moments.run import RunBuilder
from ..reading.json_stream import lines_of, text_lines
from ..reading.sniffing import looks_like

OF_RUNS = "query_id Q0 moment_id rank score tag"
OF_QRELS = "query_id 0 moment_id grade"


def looks_like_a_run(line: str) -> bool:
    """Whether a line is one of a TREC run, its tag left out or with blanks in it."""
    columns = line.split()
    if len(columns) in (5, 6) and not line.startswith("#"):
        return True
    return len(columns) > 4 and columns[1].upper() == "Q0"


def read_trec_run(
    path: Path, builder: RunBuilder, *, queries: Container[str], videos: Container[str], faults: Faults
) -> None:
    """Lines of ``query_id Q0 moment_id rank score tag`` (the tag may be missing, or have blanks).

    The ranking is by score; the rank column is not read, as in trec_eval. Equal scores keep
    file order, where trec_eval would sort them by document id.
    Args: queries, videos: which there are, see `read_ids`.
    Source: trec_eval's README; `moment_id` for the documents.
    """
    rows: dict[str, list[tuple[str, float, float, float]]] = {}
    for number, line in text_lines(path):
        try:
            if not looks_like_a_run(line):
                raise _not_in_columns(path, number, line, OF_RUNS)
            columns = line.split(None, 5)
            score = _number(path, number, columns[4], "score")
            row = (*_moment(path, number, columns[2]), score)
            rows.setdefault(columns[0], []).append(row)
        except InputError as fault:
            faults.add(_not_in_columns(path, number, line, OF_RUNS) if line.lstrip().startswith("#") else fault)
    query_ids = _meant(path, rows, queries, "query_id", once=True)
    names = _meant(path, (row[0] for moments in rows.values() for row in moments), videos, "video name")
    for query_id, moments in rows.items():
        times = np.array([(start, end) for _, start, end, _ in moments], dtype=np.float64)
        builder.add(query_ids[query_id], [names[row[0]] for row in moments], times, [row[3] for row in moments])


class QrelsLine(NamedTuple):
    """A line of qrels, ids and grade as they are written. `assessor`: the second column, an iteration or who judged."""

    number: int
    query_id: str
    assessor: str
    moment_id: str
    moment: tuple[str, float, float]
    grade: str


def qrels_lines(path: Path, lines: Iterable[str], faults: Faults, expected: str = OF_QRELS) -> Iterator[QrelsLine]:
    """The lines of qrels that hold something; what isn't in four columns or names no moment is added to `faults`."""
    for number, line in enumerate(lines, start=1):
        columns = line.split()
        try:
            if len(columns) == 4:
                query_id, assessor, moment_id, grade = columns
                yield QrelsLine(number, query_id, assessor, moment_id, _moment(path, number, moment_id), grade)
            elif columns:
                raise _not_in_columns(path, number, line, expected)
        except InputError as fault:
            faults.add(_not_in_columns(path, number, line, expected) if columns[0].startswith("#") else fault)


def read_qrels(path: Path) -> Iterator[tuple[str, tuple[str, list[JudgedMoment | PooledMoment]]]]:
    """Lines of ``query_id 0 moment_id grade`` as ground truth: ``(place, (query_id, moments))``.

    -1 is TREC's grade for what is in the pool and not judged.
    """
    faults = Faults()
    rows: dict[str, list[tuple[str, float, float, float]]] = {}
    for line in qrels_lines(path, lines_of(path), faults):
        try:
            grade = _number(path, line.number, line.grade, "grade")
            if grade != -1 and not 0 <= grade < math.inf:
                expected = "a grade of 0 or more, or -1 for what is in the pool and not judged"
                raise InputError(path, f"line {line.number}", found=f"grade {line.grade}", expected=expected)
            rows.setdefault(line.query_id, []).append((*line.moment, grade))
        except InputError as fault:
            faults.add(fault)
    faults.raise_any()
    query_ids = _meant(path, rows, (), "query_id", once=True)
    names = _meant(path, (row[0] for moments in rows.values() for row in moments), (), "video name")
    for written, moments in rows.items():
        judged = [
            PooledMoment(names[video], start, end) if grade == -1 else JudgedMoment(names[video], start, end, grade)
            for video, start, end, grade in moments
        ]
        yield f"query_id {query_ids[written]}", (query_ids[written], judged)


def _meant(
    path: Path, written: Iterable[str], known: Container[str], what: str, *, once: bool = False
) -> dict[str, str]:
    """As `read_ids`; with `once`, an id in two spellings is refused. Raises: InputError."""
    try:
        meant = read_ids(written, known)
    except ValueError as error:
        found, _, expected = str(error).partition("; expected ")
        raise InputError(path, "", found=f"the {what} {found}", expected=expected) from error
    spelt: dict[str, str] = {}
    for text, name in meant.items() if once else ():
        if spelt.setdefault(name, text) != text:
            found = f"the {what} {name!r} in two spellings, {spelt[name]} and {text}"
            raise InputError(path, "", found=found, expected="one of them")
    return meant


def _not_in_columns(path: Path, number: int, line: str, expected: str) -> InputError:
    found = looks_like(line)
    if found.startswith("a comment"):
        expected += " (TREC's files have no comments: remove the line)"
    return InputError(path, f"line {number}", found=found, expected=expected, field="columns")


def _moment(path: Path, number: int, document: str) -> tuple[str, float, float]:
    try:
        video, start, end = split_moment_id(document)
    except ValueError as error:
        expected = "a moment id like video@12.5-20"
        raise InputError(path, f"line {number}", found=shown(document), expected=expected, field="moment_id") from error
    if not (math.isfinite(start) and math.isfinite(end) and start < end):
        expected = "a moment with start < end"
        raise InputError(path, f"line {number}", found=shown(document), expected=expected, field="moment_id")
    return video, start, end


def _number(path: Path, number: int, text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise InputError(path, f"line {number}", found=f"{what} {shown(text)}", expected=f"{what}: a number")
    return value
