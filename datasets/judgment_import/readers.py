"""Readers of judgment files: what the library's readers (`evaluation.reading`) tell, checked for a collection."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from corpus.description_formats.charsets import UTF8, UTF16, has_utf16, in_utf8
from corpus.description_formats.fields import is_number, is_text, stretch
from corpus.description_formats.rows import BadRow, Problem
from evaluation.errors import Faults, InputError
from evaluation.reading.grade_scale import GradeScale
from evaluation.reading.judgment_rows import ABOUT, COLUMNS, About, JudgmentRow, csv_judgments
from evaluation.reading.label_studio import label_studio_judgments
from evaluation.reading.pairs import pair_rows
from foundation.text import composed, normalise

LONGEST_LINE = 1_000_000
LONGEST_TEXT = 2_000
"""Bytes of a query or caption that surely fit PostgreSQL's index of queries."""
LARGEST = 256 * 1024 * 1024
"""Bytes. A larger document of JSON is refused: its text is held in memory, one entry at a time is decoded."""
ROUNDING = 1e-5
"""How far outside -1 to 1 a similarity may lie: float32 cosines do. It is taken as -1 or 1."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_PLACE = re.compile(r"(?:line (\d+))?(?:, )?(.*)", re.DOTALL)

Report = Callable[[Problem], None]


class Place(NamedTuple):
    """A pair's query and moment, times in seconds. A missing query_id is "", other missing values are None; all are,
    where the pair's id alone is known."""

    query_id: str = ""
    query: str | None = None
    query_key: str | None = None
    video_name: str | None = None
    start: float | None = None
    end: float | None = None
    duration: float | None = None
    caption: str | None = None
    caption_key: str | None = None
    similarity: float | None = None


class ReadJudgment(NamedTuple):
    """One judgment of a file, for a collection. A missing pair_id is ""."""

    line: int
    pair_id: str
    place: Place
    worker: str
    grade: int


def read_judgments(
    path: Path,
    *,
    format_name: str,
    scale: GradeScale,
    end_slack: float,
    report: Report,
    ratings: str = "1-5",
    entries: dict[int, str] | None = None,
    by_pair_id: bool = False,
) -> Iterator[ReadJudgment]:
    """Every good judgment of a file, in its order and, but for JSON, in bounded memory; a bad one goes to `report`.

    TVR-Ranking's columns, in any order and among others, may be all ten or pair_id, worker and relevance alone; so may
    a task of Label Studio say no more of its pair than a pair_id. A JSON export has at most `LARGEST` bytes.

    Args:
        path: of CSV UTF-8 or UTF-16.
        format_name: tvr-ranking or label-studio.
        scale: which grades there are, and how the file writes them.
        end_slack: seconds that a moment may end after its video's duration.
        report: called once a bad row, with its first problem.
        ratings: which of Label Studio's ratings stand for the grades 0-4: 1-5 or 0-4; not with a table.
        entries: of JSON, where rows are counted by records, it gets their names in messages: number -> name.
        by_pair_id: take nothing of a pair but its id.

    Raises: KeyError if there is no such kind of ratings.
    """
    in_json = _is_json(path)
    if in_json and _too_large(path, report):
        return
    read: Callable[..., Iterator[JudgmentRow]] = csv_judgments
    if format_name == "label-studio":
        read = partial(label_studio_judgments, in_json=in_json, ratings=ratings)
    last: tuple[About | None, str] = None, ""
    pair = "", Place()
    with FileLines(path, report, "JSON" if in_json else "file") as lines:
        for row in read(path, lines, scale, lines.faults):
            if lines.had_bad():
                continue
            if in_json and entries is not None:
                entries[row.number] = row.place
            try:
                # A pair's rows follow each other, and all but worker and grade is the same.
                if last[0] is not row.about or last[1] != row.pair_id:
                    pair = _about(path, row, format_name, by_pair_id, end_slack)
                    last = row.about, row.pair_id
                yield ReadJudgment(row.number, *pair, worker_named(row.worker), row.grade)
            except BadRow as bad:
                report(bad.at(path.name, *_placed(row.place)))


def read_pairs(paths: Sequence[Path], *, end_slack: float, report: Report) -> Iterator[tuple[str, Place]]:
    """Every pair, with its id, of these files: a release's val.json and test.json, or CSV. Faults go to `report`.

    Each pair is told once; where its id stands again, it has to say the same.
    """
    known: dict[str, int] = {}
    for path in paths:
        in_json = _is_json(path)
        if in_json and _too_large(path, report):
            continue
        with FileLines(path, report, "JSON" if in_json else "file") as lines:
            for _, at, pair_id, about in pair_rows(path, lines, lines.faults, in_json=in_json):
                if lines.had_bad():
                    continue
                try:
                    pair_id, place = composed(pair_id).strip(), _place(pair_id.strip(), about, end_slack)
                    if pair_id not in known:
                        known[pair_id] = hash(place)
                        yield pair_id, place
                    elif known[pair_id] != hash(place):
                        raise BadRow("pair_id", pair_id, "the query, moment and caption that it has above")
                except BadRow as bad:
                    report(bad.at(path.name, *_placed(at)))


def _placed(place: str) -> tuple[int, str]:
    """Line (0: none) and entry of a place.

    >>> _placed("line 3, task 7"), _placed("task 7, record 1")
    ((3, 'task 7'), (0, 'task 7, record 1'))
    """
    found = _PLACE.fullmatch(place)
    return (int(found[1] or 0), found[2]) if found else (0, place)


def _is_json(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{")


def _too_large(path: Path, report: Report) -> bool:
    size = path.stat().st_size
    if size > LARGEST:
        report(Problem(path.name, 1, "file", f"{size:,} bytes", f"at most {LARGEST:,}: export it in parts"))
    return size > LARGEST


class TextLines:
    """Iterates over a file's lines as text; reports and remembers those that aren't UTF-8."""

    def __init__(self, path: Path, report: Report) -> None:
        self._path = path
        self._report = report
        self._bad = False

    def had_bad(self) -> bool:
        """Whether a line that was read since this was asked last is bad."""
        bad, self._bad = self._bad, False
        return bad

    def __iter__(self) -> Iterator[str]:
        with self._path.open("rb") as raw_file:
            file = in_utf8(raw_file, UTF16 if has_utf16(raw_file) else UTF8)
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
                    self._bad = True
                    yield raw.decode("utf-8", errors="replace")


class FileLines(TextLines):
    """A file's lines as a context, which reports what the library's readers find in them, but for lines that couldn't
    be read: those are told already. What ends the reading is reported, not raised."""

    def __init__(self, path: Path, report: Report, field: str = "file") -> None:
        super().__init__(path, report)
        self.faults = _Reported(self, report, field)

    def __enter__(self) -> "FileLines":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        if isinstance(error, InputError):
            self.faults.add(error)
        return isinstance(error, InputError)


class _Reported(Faults):
    def __init__(self, lines: TextLines, report: Report, field: str) -> None:
        super().__init__()
        self._lines, self._report, self._field = lines, report, field

    def add(self, fault: InputError) -> None:
        if not self._lines.had_bad():
            line, entry = _placed(fault.place)
            field = fault.field or self._field
            self._report(Problem(fault.path.name, line, field, fault.value, fault.expected, entry))


def _about(path: Path, row: JudgmentRow, format_name: str, by_pair_id: bool, end_slack: float) -> tuple[str, Place]:
    """The pair's id, if it has one, and what it is about."""
    about, in_csv = row.about, format_name == "tvr-ranking"
    # A task's own id says nothing about a pair.
    pair_id = row.pair_id.strip() if in_csv or "pair_id" in about else ""
    if pair_id and (by_pair_id or not any(name in about for name in ("query", "video_name", "timestamp"))):
        return _id(pair_id), Place()
    if in_csv and (missing := [name for name in ABOUT if name not in about]):
        found, expected = f"no column {', '.join(missing)}", f"{','.join(COLUMNS)}, or pair_id,worker,relevance alone"
        raise InputError(path, "line 1", found=found, expected=expected, field="header")
    if in_csv and not about["query_id"].strip():
        raise BadRow("query_id", about["query_id"], "an id")
    place = _place(pair_id or "-", about, end_slack)
    return (_id(pair_id) if in_csv else ""), place


def _id(pair_id: str) -> str:
    if not is_text(pair_id) or len(pair_id) > 200:
        raise BadRow("pair_id", pair_id, "an id of 1 to 200 characters")
    return composed(pair_id)


def _place(pair_id: str, about: About, end_slack: float) -> Place:
    """Check everything of a row but worker and grade. Raises: BadRow with the first fault."""
    _id(pair_id)
    query_id = about.get("query_id") or ""
    if isinstance(query_id, bool) or not isinstance(query_id, int | str):
        raise BadRow("query_id", query_id, "a whole number or a text")
    query_id = str(query_id).strip()
    if query_id and (not is_text(query_id) or len(query_id) > 64):
        raise BadRow("query_id", query_id, "an id of 1 to 64 characters")
    duration, similarity = (_number(about.get(name), name) for name in ("duration", "similarity"))
    times = _times(about)
    query, video, caption = about.get("query"), about.get("video_name"), about.get("caption")
    caption = None if isinstance(caption, str) and not caption.strip() else caption
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
    return Place(
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


def _times(about: About) -> Any:
    times = about.get("timestamp")
    if "start" in about and isinstance(times, list) and len(times) == 2:
        return [_number(time, name) for time, name in zip(times, ("start", "end"), strict=True)]
    if isinstance(times, str):
        try:
            return json.loads(times)
        except (ValueError, RecursionError) as error:
            raise BadRow("timestamp", times, "a JSON list [start, end] in seconds") from error
    return times


def _number(value: Any, field: str) -> Any:
    """A number that may be written as text; a text that shows nothing states none."""
    if not isinstance(value, str):
        return value
    return number_in(value, field) if value.strip() else None


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
