"""TREC's run and qrels files, with moment ids as documents."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from evaluation.errors import InputError, shown
from evaluation.ground_truth import JudgedMoment, PooledMoment
from evaluation.moment_ids import read_moment_id
from evaluation.reading.json_stream import text_lines
from evaluation.run import Run, RunBuilder


def read_trec_run(path: Path, *, name: str) -> Run:
    """Lines of ``query_id Q0 moment_id rank score tag`` (the tag may be missing).

    The ranking is by score; the rank column is not read, as in trec_eval. Equal scores keep
    file order, where trec_eval would sort them by document id.
    Source: trec_eval's README; `moment_id` for the documents.
    """
    rows: dict[str, list[tuple[str, float, float, float]]] = {}
    for number, line in text_lines(path):
        place = f"line {number}"
        columns = line.split()
        if len(columns) not in (5, 6):
            raise InputError(
                path,
                place,
                found=f"{len(columns)} columns: {shown(line.strip())}",
                expected="query_id Q0 moment_id rank score tag",
            )
        score = _number(path, place, columns[4], "score")
        rows.setdefault(columns[0], []).append((*_moment(path, place, columns[2]), score))
    builder = RunBuilder(name)
    for query_id, moments in rows.items():
        times = np.array([(start, end) for _, start, end, _ in moments], dtype=np.float64)
        builder.add(query_id, [row[0] for row in moments], times, [row[3] for row in moments])
    return builder.finished()


def read_qrels(path: Path) -> Iterator[tuple[str, str, list[JudgedMoment | PooledMoment]]]:
    """Lines of ``query_id 0 moment_id grade`` as ground truth; -1 is TREC's for what is in the pool and not judged."""
    judged: dict[str, list[JudgedMoment | PooledMoment]] = {}
    for number, line in text_lines(path):
        place = f"line {number}"
        columns = line.split()
        if len(columns) != 4:
            raise InputError(
                path,
                place,
                found=f"{len(columns)} columns: {shown(line.strip())}",
                expected="query_id 0 moment_id grade",
            )
        grade = _number(path, place, columns[3], "grade")
        moment = _moment(path, place, columns[2])
        if grade == -1:
            judged.setdefault(columns[0], []).append(PooledMoment(*moment))
            continue
        if not 0 <= grade < math.inf:
            expected = "a grade of 0 or more, or -1 for what is in the pool and not judged"
            raise InputError(path, place, found=f"grade {columns[3]}", expected=expected)
        judged.setdefault(columns[0], []).append(JudgedMoment(*moment, grade))
    for query_id, moments in judged.items():
        yield f"query_id {query_id}", query_id, moments


def _moment(path: Path, place: str, document: str) -> tuple[str, float, float]:
    try:
        video, start, end = read_moment_id(document)
    except ValueError as error:
        raise InputError(path, place, found=shown(document), expected="a moment id like video:12.5-20") from error
    if not (math.isfinite(start) and math.isfinite(end) and start < end):
        raise InputError(path, place, found=shown(document), expected="a moment with start < end")
    return video, start, end


def _number(path: Path, place: str, text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise InputError(path, place, found=f"{what} {shown(text)}", expected=f"{what}: a number")
    return value
