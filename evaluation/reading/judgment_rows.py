"""One row a judgment, as its file says it: what audits and imports share. The format is told by the content.

- ``tvr-ranking``: CSV with the columns pair_id, worker and relevance, and those that say what a pair is about;
- ``trec``: qrels of several assessors, ``query_id assessor moment_id grade``;
- ``label-studio``: its export as JSON, JSON-MIN, CSV or TSV (`label_studio`).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import Faults, InputError, shown
from ..reading.csv_rows import csv_rows, delimiter_of
from ..reading.grade_scale import GradeScale
from ..reading.trec import qrels_lines

FORMATS = ("label-studio", "trec", "tvr-ranking")
NEEDED = ("pair_id", "worker", "relevance")
ABOUT = ("query_id", "query", "video_name", "timestamp", "duration", "caption", "similarity")
"""What a pair is about. The timestamp is [start, end] in seconds, or its JSON."""
COLUMNS = ("pair_id", *ABOUT, "worker", "relevance")
"""TVR-Ranking's ten, in its order."""
OF_QRELS = "query_id assessor moment_id grade"
EXPECTED = f"a CSV file with the columns {', '.join(NEEDED)}; Label Studio's export; or qrels: {OF_QRELS}"
UNJUDGED = "-1"
"""TREC's grade of what is in the pool and was not judged."""
OR_UNJUDGED = f", or {UNJUDGED} for not judged"
_QRELS_LINE = re.compile(r"\S+\s+\S+\s+\S+\s+\S+\s*")
_MOMENT = re.compile(r"\S[@:]-?[\d.]+-[\d.]+")

About = Mapping[str, Any]


class JudgmentRow(NamedTuple):
    """One judgment. `number`: its line, in a JSON list its record's; `place`: the same in words; `about`: what the file
    says of its pair, by the names of `ABOUT`, as it stands there."""

    number: int
    place: str
    pair_id: str
    worker: str
    grade: int
    about: About


def format_of(beginning: str) -> str:
    """One of `FORMATS`, told by a file's first lines; empty if it is none of them."""
    text = beginning.lstrip("\ufeff \t\r\n")
    first = text.partition("\n")[0]
    try:
        names = set(next(csv.reader([first], delimiter=delimiter_of(first)), []))
    except csv.Error:
        names = set()
    if text.startswith("[") or {"annotator", "annotation_id"} <= names:
        return "label-studio"
    if len(names & set(NEEDED)) > 1:
        return "tvr-ranking"
    if "," in first and not _MOMENT.search(first.partition(",")[0]):
        return ""
    return "trec" if _QRELS_LINE.fullmatch(first) or first[:1] == "#" or _MOMENT.search(first) else ""


def csv_judgments(path: Path, lines: Iterable[str], scale: GradeScale, faults: Faults) -> Iterator[JudgmentRow]:
    """The rows of a CSV file with `NEEDED` and any other columns, in any order.

    Raises: InputError if the header lacks one of them, or has a known column twice.
    """
    header: list[str] = []
    needed: list[int] = []
    known: list[tuple[str, int]] = []
    last: list[str] = []
    about: dict[str, str] = {}
    for line, cells in csv_rows(path, lines, faults):
        if not header:
            header = cells
            _check_header(path, line, header)
            needed = [header.index(name) for name in NEEDED]
            known = [(name, header.index(name)) for name in ABOUT if name in header]
            continue
        try:
            pair_id, worker, grade = (cells[column] for column in needed)
            if not pair_id.strip():
                raise InputError(path, f"line {line}", field="pair_id", value=shown(pair_id), expected="an id")
            own = [cells[column] for _, column in known]
            if own != last:  # a pair's rows follow each other
                last, about = own, {name: cell for (name, _), cell in zip(known, own, strict=True)}
            yield JudgmentRow(line, f"line {line}", pair_id, worker, scale.read(path, f"line {line}", grade), about)
        except InputError as fault:
            faults.add(fault)


def _check_header(path: Path, line: int, header: list[str]) -> None:
    missing = [name for name in NEEDED if name not in header]
    twice = [name for name in COLUMNS if header.count(name) > 1]
    if missing or twice:
        found = f"no column {', '.join(missing)}" if missing else f"two columns {', '.join(twice)}"
        found += f" in {shown(','.join(header))}"
        raise InputError(path, f"line {line}", found=found, expected=", ".join(NEEDED), field="header")


def says_unjudged(grade: str, scale: GradeScale) -> bool:
    """Whether a grade of qrels says that nobody judged, unless the table of grades has another word for it."""
    return grade == UNJUDGED and UNJUDGED not in (scale.table or ())


def qrels_judgments(path: Path, lines: Iterable[str], scale: GradeScale, faults: Faults) -> Iterator[JudgmentRow]:
    """Of several assessors, whose names stand in the second column; -1 is not judged."""
    for line in qrels_lines(path, lines, faults, OF_QRELS):
        place = f"line {line.number}"
        try:
            if not says_unjudged(line.grade, scale):
                grade = scale.read(path, place, line.grade, field="grade", or_else=OR_UNJUDGED)
                video, start, end = line.moment
                about = {"query_id": line.query_id, "video_name": video, "timestamp": [start, end]}
                yield JudgmentRow(line.number, place, f"{line.query_id} {line.moment_id}", line.assessor, grade, about)
        except InputError as fault:
            faults.add(fault)
