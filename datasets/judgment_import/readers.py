"""Readers of judgment files: TVR-Ranking's raw annotations, Label Studio's JSON export."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from corpus.description_formats.fields import is_number, is_text, stretch
from corpus.description_formats.rows import BadRow, Problem, shown
from corpus.text import composed, normalise
from datasets.formats.tvr_ranking import RAW_COLUMNS
from evaluation.errors import InputError
from evaluation.reading.json_stream import json_items

LONGEST_LINE = 1_000_000
LABEL_STUDIO_BYTES = 256 * 1024 * 1024
"""A larger export is refused: its text is held in memory, one task at a time is decoded."""
LONGEST_TEXT = 2_000
"""Bytes of a query or caption that surely fit PostgreSQL's index of queries."""
ROUNDING = 1e-5
"""How far outside -1 to 1 a similarity may lie: float32 cosines do. It is taken as -1 or 1."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)

Report = Callable[[Problem], None]


class JudgmentRow(NamedTuple):
    """One judgment of a file, times in seconds. Missing ids are "", other missing values None."""

    line: int
    pair_id: str
    query_id: str
    query: str
    query_key: str
    video_name: str
    start: float
    end: float
    duration: float | None
    caption: str | None
    caption_key: str | None
    similarity: float | None
    worker: str
    grade: int


def read_raw_annotations(path: Path, *, top_grade: int, end_slack: float, report: Report) -> Iterator[JudgmentRow]:
    """Every good row of a raw_annotations.csv, in file order and bounded memory; a bad one goes to `report` instead.

    Args:
        path: UTF-8; the ten columns of `RAW_COLUMNS` in any order, others are passed over. `timestamp` is a JSON
            list [start, end] in seconds; `duration` may be empty.
        top_grade: grades go from 0 to this.
        end_slack: seconds that a moment may end after its video's duration.
        report: called once a bad row, with its first problem.
    """
    lines = TextLines(path, report)
    rows = csv.reader(lines, strict=True)
    before = 0
    try:
        header = next(rows, [])
        if not _good_header(header):
            report(Problem(path.name, 1, "header", shown(",".join(header)), ",".join(RAW_COLUMNS)))
            return
        order = [header.index(column) for column in RAW_COLUMNS]
        place: _Place | None = None
        said: list[str] = []
        before = rows.line_num
        for fields in rows:
            line, before = before + 1, rows.line_num
            if not fields or lines.is_bad(line, before):
                continue
            try:
                if len(fields) != len(header):
                    raise BadRow("columns", len(fields), f"{len(header)}, as the header has")
                *about, worker, grade = (fields[index] for index in order)
                # A pair's rows follow each other, and all but worker and grade is the same.
                if place is None or about != said:
                    place, said = _raw_place(about, end_slack), about
                yield JudgmentRow(line, *place, _worker(worker), grade_of(grade, top_grade))
            except BadRow as bad:
                report(Problem(path.name, line, bad.field, bad.found, bad.expected))
    except csv.Error as error:
        report(Problem(path.name, before + 1, "CSV", str(error), "quotation marks that close, and no NUL"))


class TextLines:
    """Iterates over a file's lines as text; reports and remembers those that aren't UTF-8."""

    def __init__(self, path: Path, report: Report) -> None:
        self._path = path
        self._report = report
        self._bad: set[int] = set()

    def is_bad(self, first: int, last: int) -> bool:
        """Whether a line of a row couldn't be read."""
        return bool(self._bad) and any(line in self._bad for line in range(first, last + 1))

    def __iter__(self) -> Iterator[str]:
        with self._path.open("rb") as file:
            number = 0
            while raw := file.readline(LONGEST_LINE):
                number += 1
                if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
                    expected = f"lines of at most {LONGEST_LINE:,} bytes"
                    self._report(Problem(self._path.name, number, "line", "a longer one", expected))
                    return
                try:
                    yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    byte = repr(raw[error.start : error.start + 1])
                    self._report(
                        Problem(
                            self._path.name, number, "encoding", byte, f"UTF-8 (byte {error.start + 1} of the line)"
                        )
                    )
                    self._bad.add(number)
                    yield raw.decode("utf-8", errors="replace")


def _good_header(header: list[str]) -> bool:
    return all(header.count(column) == 1 for column in RAW_COLUMNS)


_Place = tuple[str, str, str, str, str, float, float, float | None, str | None, str | None, float | None]


def _raw_place(about: list[str], end_slack: float) -> _Place:
    pair_id, query_id, query, video, timestamp, duration, caption, similarity = about
    if not pair_id.strip():
        raise BadRow("pair_id", pair_id, "an id")
    if not query_id.strip():
        raise BadRow("query_id", query_id, "an id")
    try:
        times = json.loads(timestamp)
    except (ValueError, RecursionError) as error:
        raise BadRow("timestamp", timestamp, "a JSON list [start, end] in seconds") from error
    return _place(
        pair_id.strip(),
        query_id.strip(),
        query,
        video,
        times,
        _number(duration, "duration") if duration.strip() else None,
        caption if caption.strip() else None,
        _number(similarity, "similarity") if similarity.strip() else None,
        end_slack,
    )


def _place(
    pair_id: str,
    query_id: str,
    query: Any,
    video: Any,
    times: Any,
    duration: Any,
    caption: Any,
    similarity: Any,
    end_slack: float,
) -> _Place:
    """Check everything of a row but worker and grade. Raises: BadRow with the first fault."""
    if not is_text(pair_id) or len(pair_id) > 200:
        raise BadRow("pair_id", pair_id, "an id of 1 to 200 characters")
    if query_id and (not is_text(query_id) or len(query_id) > 64):
        raise BadRow("query_id", query_id, "an id of 1 to 64 characters")
    if not is_text(query):
        raise BadRow("query", query, "a sentence")
    if len(_key(query).encode()) > LONGEST_TEXT:
        raise BadRow("query", query, f"a sentence of at most {LONGEST_TEXT:,} bytes")
    if not is_text(video) or len(video.strip()) > 200:
        raise BadRow("video_name", video, "a name of 1 to 200 characters")
    if caption is not None and not is_text(caption):
        raise BadRow("caption", caption, "a sentence")
    if caption is not None and len(_key(caption).encode()) > LONGEST_TEXT:
        raise BadRow("caption", caption, f"a sentence of at most {LONGEST_TEXT:,} bytes")
    if duration is not None and not (is_number(duration) and duration > 0):
        raise BadRow("duration", duration, "seconds, more than 0")
    if similarity is not None and not (is_number(similarity) and abs(similarity) <= 1 + ROUNDING):
        raise BadRow("similarity", similarity, "a number from -1 to 1")
    start, end = stretch(times, "timestamp", duration, end_slack)
    return (
        composed(pair_id),
        composed(query_id),
        composed(query),
        _key(query),
        composed(video).strip(),
        start,
        end,
        None if duration is None else float(duration),
        caption,
        None if caption is None else _key(caption),
        None if similarity is None else min(1.0, max(-1.0, float(similarity))),
    )


_key = lru_cache(maxsize=20_000)(normalise)


def _number(text: str, field: str) -> float:
    if not NUMBER.fullmatch(text.strip()):
        raise BadRow(field, text, "a number")
    return float(text)


def _worker(text: str) -> str:
    worker = composed(text).strip()
    if "@" in worker:
        raise BadRow("worker", "a mail address", "a pseudonym")
    if not is_text(worker) or len(worker) > 40:
        raise BadRow("worker", text, "a pseudonym of 1 to 40 characters")
    return worker


def grade_of(text: str, top_grade: int, *, field: str = "relevance", or_else: str = "") -> int:
    """A grade as it is written. Raises: BadRow, which expects one or what `or_else` says."""
    grade = text.strip()
    if len(grade) != 1 or grade not in "01234"[: top_grade + 1]:
        raise BadRow(field, text, f"a whole number from 0 to {top_grade}{or_else}")
    return int(grade)


RATINGS = {"1-5": 1, "0-4": 0}
"""What a Label Studio rating stands for: the rating that is grade 0. Its stars can't say 0, so they begin at 1."""


def read_label_studio(
    path: Path, *, top_grade: int, end_slack: float, report: Report, ratings: str = "1-5"
) -> Iterator[JudgmentRow]:
    """Every judgment of Label Studio's JSON export, in file order; what is wrong goes to `report`.

    A task's `data` holds query, video_name, timestamp [start, end] (a list, or its JSON text) or start and end, and
    may hold query_id, caption, similarity and duration; a pair that is new to the collection needs caption and
    similarity. An annotation is one judgment: its only rating (`ratings` says whether 1-5 or 0-4 stand for the grades
    0-4), or its only choice "0" to "4". Cancelled annotations are passed over. Of `completed_by` the id alone is
    kept, as worker `ls-ID`. Lines are those in which a task begins.

    Raises: KeyError if there is no such kind of ratings.
    """
    lowest = RATINGS[ratings]
    if path.stat().st_size > LABEL_STUDIO_BYTES:
        found, expected = f"{path.stat().st_size:,} bytes", f"at most {LABEL_STUDIO_BYTES:,}: export it in parts"
        report(Problem(path.name, 1, "file", found, expected))
        return
    try:
        for place, task in json_items(path):
            line = _line(place)
            try:
                about, annotations = _task(task, end_slack)
            except BadRow as bad:
                report(Problem(path.name, line, bad.field, bad.found, bad.expected))
                continue
            for annotation in annotations:
                try:
                    if isinstance(annotation, dict) and annotation.get("was_cancelled") is True:
                        continue
                    yield JudgmentRow(line, *about, *_annotation(annotation, lowest, top_grade))
                except BadRow as bad:
                    report(Problem(path.name, line, bad.field, bad.found, bad.expected))
    except InputError as error:
        report(Problem(path.name, _line(error.place), "JSON", error.found, error.expected))


def _line(place: str) -> int:
    """The number in "line 3, record 2"; 1 where there is none."""
    found = re.search(r"line (\d+)", place)
    return int(found[1]) if found else 1


def _task(task: object, end_slack: float) -> tuple[_Place, list[Any]]:
    if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
        raise BadRow("data", task, "a task with its data")
    annotations = task.get("annotations")
    if not isinstance(annotations, list):
        raise BadRow("annotations", annotations, "a list (export as JSON, not JSON-MIN)")
    data = task["data"]
    times: object = data.get("timestamp")
    if isinstance(times, str):
        try:
            times = json.loads(times)
        except (ValueError, RecursionError) as error:
            raise BadRow("timestamp", times, "[start, end] in seconds") from error
    if times is None:
        times = [data.get("start"), data.get("end")]
    query_id = data.get("query_id", "")
    if isinstance(query_id, bool) or not isinstance(query_id, int | str):
        raise BadRow("query_id", query_id, "a whole number or a text")
    # Its pair_id would be "": a task's own id says nothing about a pair.
    return _label_studio_place(data, str(query_id).strip(), times, end_slack), annotations


def _label_studio_place(data: dict[str, Any], query_id: str, times: object, end_slack: float) -> _Place:
    place = _place(
        "-",
        query_id,
        data.get("query"),
        data.get("video_name"),
        times,
        data.get("duration"),
        data.get("caption"),
        data.get("similarity"),
        end_slack,
    )
    return ("", *place[1:])


def _annotation(annotation: object, lowest: int, top_grade: int) -> tuple[str, int]:
    if not isinstance(annotation, dict):
        raise BadRow("annotations", annotation, "an annotation")
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("id")
    if isinstance(by, bool) or not isinstance(by, int):
        # What stands there may be a mail address: it isn't repeated.
        raise BadRow("completed_by", type(by).__name__ if by is not None else None, "a person's id")
    values = [
        region["value"]
        for region in annotation.get("result") or []
        if isinstance(region, dict) and isinstance(region.get("value"), dict)
    ]
    given = [value[kind] for value in values for kind in ("rating", "choices") if kind in value]
    if len(given) != 1:
        raise BadRow("result", f"{len(given)} ratings and choices", "one")
    (value,) = given
    worker = _worker(f"ls-{by}")
    if isinstance(value, list):
        if len(value) != 1 or not isinstance(value[0], str):
            raise BadRow("choices", value, f'one of "0" to "{top_grade}"')
        return worker, grade_of(value[0], top_grade)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value - lowest <= top_grade:
        raise BadRow("rating", value, f"a whole number from {lowest} to {top_grade + lowest} (see --ratings)")
    return worker, value - lowest
