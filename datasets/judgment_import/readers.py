"""Readers of judgment files: TVR-Ranking's raw annotations, and what other readers share with it."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from corpus.description_formats.charsets import UTF8, UTF16, has_utf16, in_utf8
from corpus.description_formats.fields import is_number, is_text, stretch
from corpus.description_formats.rows import BadRow, Problem, shown
from datasets.formats.tvr_ranking import RAW_COLUMNS
from foundation.text import composed, normalise

LONGEST_LINE = 1_000_000
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
    order: list[int] = []
    place: Place | None = None
    last_about: list[str] = []
    for line, fields in csv_rows(path, report):
        if not order:
            if any(fields.count(column) != 1 for column in RAW_COLUMNS):
                report(Problem(path.name, line, "header", shown(",".join(fields)), ",".join(RAW_COLUMNS)))
                return
            order = [fields.index(column) for column in RAW_COLUMNS]
            continue
        try:
            *about, worker, grade = (fields[index] for index in order)
            # A pair's rows follow each other, and all but worker and grade is the same.
            if place is None or about != last_about:
                place, last_about = _raw_place(about, end_slack), about
            yield JudgmentRow(line, *place, worker_named(worker), grade_of(grade, top_grade))
        except BadRow as bad:
            report(bad.at(path.name, line))


def csv_rows(path: Path, report: Report) -> Iterator[tuple[int, list[str]]]:
    """The header of a CSV file, then its rows, with the line where each begins; what can't be read goes to `report`.

    All have as many cells as the header. Tabs separate them where the header has tabs and no commas.
    """
    lines = TextLines(path, report)
    first = next(iter(TextLines(path, lambda problem: None)), "")
    rows = csv.reader(lines, strict=True, delimiter="\t" if "\t" in first and "," not in first else ",")
    before = columns = 0
    try:
        for fields in rows:
            line, before = before + 1, rows.line_num
            if not fields or lines.is_bad(line, before):
                continue
            columns = columns or len(fields)
            if len(fields) == columns:
                yield line, fields
            else:
                report(BadRow("columns", len(fields), f"{columns}, as the header has").at(path.name, line))
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
        with self._path.open("rb") as raw_file:
            file = in_utf8(raw_file, UTF16 if has_utf16(raw_file) else UTF8)
            self._bad.clear()
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


Place = tuple[str, str, str, str, str, float, float, float | None, str | None, str | None, float | None]


def _raw_place(about: list[str], end_slack: float) -> Place:
    pair_id, query_id, query, video, timestamp, duration, caption, similarity = about
    if not pair_id.strip():
        raise BadRow("pair_id", pair_id, "an id")
    if not query_id.strip():
        raise BadRow("query_id", query_id, "an id")
    try:
        times = json.loads(timestamp)
    except (ValueError, RecursionError) as error:
        raise BadRow("timestamp", timestamp, "a JSON list [start, end] in seconds") from error
    return place_of(
        pair_id.strip(),
        query_id.strip(),
        query,
        video,
        times,
        number_in(duration, "duration") if duration.strip() else None,
        caption if caption.strip() else None,
        number_in(similarity, "similarity") if similarity.strip() else None,
        end_slack,
    )


def place_of(
    pair_id: str,
    query_id: str,
    query: Any,
    video: Any,
    times: Any,
    duration: Any,
    caption: Any,
    similarity: Any,
    end_slack: float,
) -> Place:
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


def number_in(text: str, field: str) -> float:
    if not NUMBER.fullmatch(text.strip()):
        raise BadRow(field, text, "a number")
    return float(text)


def worker_named(text: str) -> str:
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
