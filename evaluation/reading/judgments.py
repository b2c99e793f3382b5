"""Files of judgments read whole, as audits need them."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from unicodedata import normalize

import numpy as np

from ..arrays import IntArray
from ..errors import Faults, InputError, shown
from ..reading.fields import interval
from ..reading.grade_scale import GradeScale
from ..reading.json_stream import head, lines_of
from ..reading.judgment_rows import (
    EXPECTED,
    About,
    JudgmentRow,
    csv_judgments,
    format_of,
    qrels_judgments,
)
from ..reading.label_studio import label_studio_judgments
from ..reading.sniffing import looks_like
from ..texts import counted

Moment = tuple[str, str, float, float]
"""A pair's query_id, video_name, start and end in seconds."""


@dataclass(frozen=True, eq=False)
class Judgments:
    """The judgments of a file, in its order.

    Attributes (J judgments, P pairs): name: the file's. pair_ids: P ids. workers: their ids. pair, worker: shape (J,),
    places in these two. grade: shape (J,), from 0 on. moments: P moments, None where they aren't known; None if the
    file doesn't say them.
    """

    name: str
    pair_ids: tuple[str, ...]
    workers: tuple[str, ...]
    pair: IntArray
    worker: IntArray
    grade: IntArray
    moments: tuple[Moment | None, ...] | None = None

    def __repr__(self) -> str:
        return f"<judgments {self.name}: {counted(len(self), 'judgment')} of {counted(len(self.pair_ids), 'pair')}>"

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

    def grades_by_pair(self) -> list[tuple[int, ...]]:
        """Each pair's grades in the file's order."""
        return [tuple(row[:count]) for row, count in zip(self.table.tolist(), self.count.tolist(), strict=True)]


def read_judgments(
    path: Path | str,
    *,
    top_grade: int = 4,
    step: int = 1,
    table: Mapping[str, int] | None = None,
    ratings: str = "1-5",
) -> Judgments:
    """Read a file of judgments.

    Args: top_grade, step, table: which grades there are and how the file writes them, see `GradeScale`. ratings: what
        Label Studio's are, see `label_studio`.
    Raises: InputError naming the first ten faults, by line, what was found and expected.
    """
    path = Path(path)
    faults = Faults()
    pairs: dict[str, int] = {}
    workers: dict[str, int] = {}
    moments: list[Moment | None] = []
    rows: list[tuple[int, int, int]] = []
    last: tuple[About, Moment | None] = {}, None
    for row in _rows(path, GradeScale(top_grade, step, table), ratings, faults):
        try:
            if not row.worker.strip():
                raise InputError(path, row.place, field="worker", value=shown(row.worker), expected="an id")
            if row.about is not last[0]:
                last = row.about, moment_of(path, row.place, row.about)
            number = pairs.setdefault(normalize("NFC", row.pair_id), len(pairs))
            if number == len(moments):
                moments.append(last[1])
            elif moments[number] != last[1]:
                found = f"pair_id {shown(row.pair_id)} with another query or moment than above"
                raise InputError(path, row.place, found=found, expected="one query and one moment a pair")
            rows.append((number, workers.setdefault(normalize("NFC", row.worker), len(workers)), row.grade))
        except InputError as fault:
            faults.add(fault)
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


def _rows(path: Path, scale: GradeScale, ratings: str, faults: Faults) -> Iterator[JudgmentRow]:
    beginning = head(path)
    readers: dict[str, Callable[..., Iterator[JudgmentRow]]] = {
        "tvr-ranking": csv_judgments,
        "trec": qrels_judgments,
        "label-studio": partial(label_studio_judgments, in_json=beginning.startswith("["), ratings=ratings),
    }
    kind = format_of(beginning)
    if not kind:
        if not beginning:
            deque(lines_of(path), maxlen=0)  # says where it isn't UTF-8
        raise InputError(path, "line 1", found=looks_like(beginning), expected=EXPECTED)
    return readers[kind](path, Lines(path), scale, faults)


class Lines:
    """The lines of a file, from its beginning whenever they are asked for. Raises: InputError as `lines_of`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[str]:
        return lines_of(self._path)


def moment_of(path: Path, place: str, about: About) -> Moment | None:
    """What a pair is about, if its query, video and times are stated. Raises: InputError."""
    query, video, times = about.get("query_id") or about.get("query"), about.get("video_name"), about.get("timestamp")
    if not query or not video or not times:
        return None
    with suppress(ValueError, RecursionError):  # `interval` says what was found
        times = json.loads(times) if isinstance(times, str) else times
    return str(query), str(video), *interval(path, place, times)
