"""Parse a release's files without trusting them.

This shares nothing with the code that writes a release, so that it can be held against it.
"""

import csv
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from urllib.parse import quote

from ..errors import EvaluationError
from ..reading.json_stream import broken_json
from ..reading.json_text import BrokenJson, JsonText
from ..reading.judgment_rows import COLUMNS
from ..texts import counted

CHUNK = 1 << 20
LONGEST_RECORD = 1 << 24
"""Characters: a list with a record that doesn't end within so many counts as broken."""

RAW, ADJUDICATED = "raw_annotations.csv", "adjudicated.csv"
RAW_COLUMNS = COLUMNS
ADJUDICATED_COLUMNS = ("pair_id", "query_id", "relevance", "worker", "adjudicated_at")


class UnreadableFile(EvaluationError):
    """A file of a release that can't be read; the message names it."""


class PairFields(NamedTuple):
    """A pair's fields in the files besides its grade; `query_id` always as text. A moment that was found without
    captions has neither caption nor similarity."""

    query_id: str
    query: str
    video_name: str
    timestamp: tuple[float, float]
    duration: float | None
    caption: str | None
    similarity: float | None


@dataclass(slots=True)
class JudgedPair:
    """A pair of raw_annotations.csv: what its first row says of it, grades and workers in file order."""

    facts: PairFields
    grades: list[int] = field(default_factory=list)
    workers: list[str] = field(default_factory=list)


def sha256_of(path: Path) -> str:
    """A file's SHA-256, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_object(path: Path) -> dict[str, Any]:
    """A small JSON file that is an object. Raises: UnreadableFile."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse_constant)
    except FileNotFoundError:
        raise UnreadableFile(f"{path.name} is missing") from None
    except (ValueError, RecursionError, _NoJson) as error:
        raise UnreadableFile(f"{path.name} is no JSON file: {error}") from error
    if not isinstance(content, dict):
        raise UnreadableFile(f"{path.name} is no JSON object")
    return content


def is_list(path: Path) -> bool:
    """Whether a JSON file's outermost value is a list."""
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(CHUNK).lstrip().startswith("[")


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON list, one at a time in bounded memory. Raises: UnreadableFile, also half-way through."""
    try:
        with path.open(encoding="utf-8") as file:
            items = JsonText(lambda size: file.read(CHUNK), LONGEST_RECORD, _STRICT).items()
            for number, (_, record) in enumerate(items, start=1):
                if not isinstance(record, dict):
                    raise UnreadableFile(f"{path.name}: record {number} is no JSON object")
                yield record
    except FileNotFoundError:
        raise UnreadableFile(f"{path.name} is missing") from None
    except BrokenJson as broken:
        told = broken_json(Path(path.name), broken).in_words("")
        raise UnreadableFile(f"{path.name} is no JSON list{told}") from broken
    except (UnicodeDecodeError, _NoJson) as error:
        raise UnreadableFile(f"{path.name} is no JSON list: {error}") from error


class _NoJson(Exception):
    """What JSON hasn't and Python writes."""


def _refuse_constant(name: str) -> NoReturn:
    raise _NoJson(f"found {name}, which is no JSON")


_STRICT = json.JSONDecoder(parse_constant=_refuse_constant)


def moment_id(moment: dict[str, Any]) -> str:
    """The id that other formats give a moment of a JSON file: video name, percent-encoded, `@`, start-end."""
    start, end = moment["timestamp"]
    return f"{quote(moment['video_name'], safe='')}@{start!r}-{end!r}"


def place_key(video: str, start: float, end: float) -> str:
    """A place as a text; 5 and 5.0 are one place, and so are -0.0 and 0.0.

    Raises: ValueError, TypeError for times that are no numbers.
    """
    try:
        return f"{video}\n{start + 0.0!r}\n{end + 0.0!r}"
    except OverflowError as error:
        raise ValueError(f"found a moment of {video} at a time that is no number of seconds") from error


def facts_of(query: dict[str, Any], moment: dict[str, Any]) -> PairFields:
    """A moment of a JSON file with its query. Raises: ValueError naming the field that won't do."""
    timestamp = moment["timestamp"]
    if (
        not isinstance(timestamp, list)
        or len(timestamp) != 2
        or not (_is_number(timestamp[0]) and _is_number(timestamp[1]))
    ):
        raise ValueError(f"timestamp {timestamp!r}, expected [start, end] in seconds")
    if not 0 <= timestamp[0] < timestamp[1]:
        raise ValueError(f"timestamp {timestamp!r}, expected 0 <= start < end")
    if not (moment["duration"] is None or _is_number(moment["duration"])):
        raise ValueError(f"duration {moment['duration']!r}, expected seconds or null")
    similarity, caption = moment["similarity"], moment["caption"]
    if similarity is not None and not (_is_number(similarity) and -1 <= similarity <= 1):
        raise ValueError(f"similarity {similarity!r}, expected -1 to 1, or null")
    if not isinstance(moment["video_name"], str) or not moment["video_name"]:
        raise ValueError(f"video_name {moment['video_name']!r}, expected a text")
    if caption is not None and not (isinstance(caption, str) and caption):
        raise ValueError(f"caption {caption!r}, expected a text, or null")
    return PairFields(
        query_id=str(query["query_id"]),
        query=query["query"],
        video_name=moment["video_name"],
        timestamp=(timestamp[0], timestamp[1]),
        duration=moment["duration"],
        caption=caption,
        similarity=similarity,
    )


def _is_number(value: Any) -> bool:
    return type(value) is float or type(value) is int  # a bool is neither


def read_raw(path: Path, grades: Sequence[str]) -> Iterator[tuple[int, str, PairFields, str, int]]:
    """The rows of raw_annotations.csv as (line, pair_id, facts, worker, grade). Raises: UnreadableFile."""
    for line, cells in csv_rows(path, RAW_COLUMNS):
        try:
            yield line, *_raw_row(cells, grades)
        except ValueError as error:
            raise UnreadableFile(f"{path.name}, line {line}: {error}") from error


def read_adjudicated(path: Path, of: Sequence[str]) -> dict[str, int]:
    """adjudicated.csv as pair_id -> the lead's grade. Raises: UnreadableFile."""
    grades: dict[str, int] = {}
    for line, cells in csv_rows(path, ADJUDICATED_COLUMNS):
        pair_id, grade = cells["pair_id"], cells["relevance"]
        if grade not in of:
            expected = f"a pair with {of[0]} to {of[-1]}"
            raise UnreadableFile(f"{path.name}, line {line}: found {list(cells.values())}, expected {expected}")
        if pair_id in grades:
            raise UnreadableFile(f"{path.name}, line {line}: pair {pair_id} is there twice")
        grades[pair_id] = int(grade)
    return grades


def csv_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a CSV file with exactly this header, as (line, cells by column). Raises: UnreadableFile."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            header = next(rows, [])
            if header != list(columns):
                raise UnreadableFile(f"{path.name}: found the columns {header}, expected {list(columns)}")
            for row in rows:
                if len(row) != len(columns):
                    count = counted(len(row), "column")
                    raise UnreadableFile(f"{path.name}, line {rows.line_num}: found {count}, expected {len(columns)}")
                yield rows.line_num, dict(zip(columns, row, strict=True))
    except FileNotFoundError:
        raise UnreadableFile(f"{path.name} is missing") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise UnreadableFile(f"{path.name} is no CSV file: {error}") from error


def _raw_row(cells: dict[str, str], grades: Sequence[str]) -> tuple[str, PairFields, str, int]:
    if cells["relevance"] not in grades:
        expected = f"{', '.join(grades[:-1])} or {grades[-1]}"
        raise ValueError(f"found relevance {cells['relevance']!r}, expected {expected}")
    if not cells["worker"]:
        raise ValueError("found no worker")
    moment = cells | in_types(cells)
    return cells["pair_id"], facts_of(moment, moment), cells["worker"], int(cells["relevance"])


def in_types(cells: dict[str, str]) -> dict[str, Any]:
    """What of raw_annotations.csv isn't text, as JSON files have it. Raises: ValueError."""
    return {
        "timestamp": json.loads(cells["timestamp"]),
        "duration": float(cells["duration"]) if cells["duration"] else None,
        "caption": cells["caption"] or None,
        "similarity": float(cells["similarity"]) if cells["similarity"] else None,
    }
