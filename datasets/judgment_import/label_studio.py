"""Label Studio's exports as judgments: JSON, JSON-MIN, and CSV or TSV.

Source: Label Studio's documentation, "Export annotations" and "Task format".
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from corpus.description_formats.rows import BadRow, Problem
from datasets.judgment_import.readers import (
    JudgmentRow,
    Place,
    Report,
    csv_rows,
    grade_of,
    number_in,
    place_of,
    worker_named,
)
from evaluation.errors import InputError
from evaluation.reading.json_stream import json_items
from evaluation.reading.label_studio import RATINGS as RATINGS
from evaluation.reading.label_studio import values_of_row

LARGEST = 256 * 1024 * 1024
"""Bytes. A larger export is refused: its text is held in memory, one task at a time is decoded."""

Record = Mapping[str, Any]


def read_label_studio(
    path: Path,
    *,
    top_grade: int,
    end_slack: float,
    report: Report,
    tasks: dict[int, object],
    ratings: str = "1-5",
) -> Iterator[JudgmentRow]:
    """Every judgment of an export, in file order; what is wrong goes to `report`.

    A task holds query, video_name, timestamp [start, end] (a list, or its JSON text) or start and end, and may hold
    query_id, caption, similarity and duration; what is empty isn't stated, and numbers may be text. A pair that is new
    to the collection needs caption and similarity. In JSON every annotation of a task that isn't cancelled is one
    judgment; in JSON-MIN and CSV every row is, and a row without an annotation is passed over. A judgment is the only
    rating (`ratings` says whether 1-5 or 0-4 stand for the grades 0-4), or else the only choice "0" to "4".
    Predictions are none. Of a person the id alone is kept, as worker `ls-ID`.

    Args: tasks: of JSON, where rows are counted by tasks, it gets the id of each one that was read: number -> id.
    Raises: KeyError if there is no such kind of ratings.
    """
    lowest = RATINGS[ratings]
    if path.stat().st_size > LARGEST:
        found, expected = f"{path.stat().st_size:,} bytes", f"at most {LARGEST:,}: export it in parts"
        report(Problem(path.name, 1, "file", found, expected))
        return
    with path.open("rb") as file:
        in_json = file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
    records = _in_json(path, report, tasks) if in_json else _in_rows(path, report)
    for number, record in records:
        if in_json:
            line, entry = 0, place_in_words(number, tasks)
        else:
            line, entry = number, f"task {record['id']}" if record.get("id") else ""
        try:
            about, judged = _task(record, end_slack)
        except BadRow as bad:
            report(bad.at(path.name, line, entry))
            continue
        for by, results in judged:
            try:
                yield JudgmentRow(number, *about, _person(by), _grade(results, lowest, top_grade))
            except BadRow as bad:
                report(bad.at(path.name, line, entry))


def place_in_words(number: int, tasks: Mapping[int, object]) -> str:
    """How a task of JSON is named in messages: "task 102, record 3"."""
    return f"task {tasks[number]}, record {number:,}" if tasks.get(number) is not None else f"record {number:,}"


def _in_json(path: Path, report: Report, tasks: dict[int, object]) -> Iterator[tuple[int, Any]]:
    try:
        for number, (_, task) in enumerate(json_items(path), start=1):
            task_id = task.get("id") if isinstance(task, dict) else None
            tasks[number] = task_id if isinstance(task_id, int) else None
            yield number, task
    except InputError as error:
        line = re.match(r"line (\d+)", error.place)
        report(Problem(path.name, int(line[1]) if line else 1, "JSON", error.found, error.expected))


def _in_rows(path: Path, report: Report) -> Iterator[tuple[int, Record]]:
    header: list[str] = []
    for line, cells in csv_rows(path, report):
        if header:
            yield line, dict(zip(header, cells, strict=True))
        header = header or cells


def _task(task: object, end_slack: float) -> tuple[Place, list[tuple[object, list[Any]]]]:
    """What a task is about, and its judgments: by whom, and the values of its controls."""
    if isinstance(task, dict) and "data" not in task and "annotator" in task:
        by = _stated(task["annotator"])
        if by is None and _stated(task.get("annotation_id")) is None:
            return _about(task, end_slack), []
        return _about(task, end_slack), [(by, values_of_row(task))]
    if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
        raise BadRow("data", task, "a task with its data")
    annotations = task.get("annotations", task.get("completions"))
    if not isinstance(annotations, list):
        raise BadRow("annotations", annotations, "a list")
    judged = []
    for annotation in annotations:
        if not isinstance(annotation, dict):
            raise BadRow("annotations", annotation, "an annotation")
        if annotation.get("was_cancelled") is not True:
            regions = annotation.get("result")
            values = [region["value"] for region in regions if _has_value(region)] if isinstance(regions, list) else []
            judged.append((annotation.get("completed_by"), values))
    return _about(task["data"], end_slack), judged


def _has_value(region: object) -> bool:
    return isinstance(region, dict) and isinstance(region.get("value"), dict)


def _about(data: Record, end_slack: float) -> Place:
    stated = {name: _stated(data.get(f"_data_{name}", data.get(name))) for name in (*_TEXTS, *_NUMBERS)}
    for name in _NUMBERS:
        if isinstance(stated[name], str):
            stated[name] = number_in(stated[name], name)
    times = stated["timestamp"]
    if isinstance(times, str):
        try:
            times = json.loads(times)
        except (ValueError, RecursionError) as error:
            raise BadRow("timestamp", times, "[start, end] in seconds") from error
    if times is None:
        times = [stated["start"], stated["end"]]
    query_id = stated["query_id"] or ""
    if isinstance(query_id, bool) or not isinstance(query_id, int | str):
        raise BadRow("query_id", query_id, "a whole number or a text")
    query_id = str(query_id).strip()
    duration, caption, similarity = stated["duration"], stated["caption"], stated["similarity"]
    # Its pair_id would be "": a task's own id says nothing about a pair.
    place = place_of(
        "-", query_id, stated["query"], stated["video_name"], times, duration, caption, similarity, end_slack
    )
    return ("", *place[1:])


_TEXTS = ("query_id", "query", "video_name", "timestamp", "caption")
_NUMBERS = ("start", "end", "duration", "similarity")


def _stated(value: Any) -> Any:
    return None if isinstance(value, str) and not value.strip() else value


def _person(by: object) -> str:
    if isinstance(by, dict):
        by = by.get("id")
    if isinstance(by, str) and by.strip().isdecimal():
        by = int(by)
    if isinstance(by, bool) or not isinstance(by, int):
        # What stands there may be a mail address: it isn't repeated.
        found = "a mail address" if "@" in str(by) else "nothing" if by is None else type(by).__name__
        raise BadRow.saying("completed_by", found, "a person's id, as the JSON export has it")
    return worker_named(f"ls-{by}")


def _grade(values: list[Any], lowest: int, top_grade: int) -> int:
    ratings = [value["rating"] for value in values if "rating" in value]
    choices = [value["choices"] for value in values if "choices" in value]
    if len(ratings or choices) != 1:
        raise BadRow.saying("result", f"{len(ratings) + len(choices)} ratings and choices", "one")
    if not ratings:
        (chosen,) = choices
        if not isinstance(chosen, list) or len(chosen) != 1 or not isinstance(chosen[0], str):
            raise BadRow("choices", chosen, f'one of "0" to "{top_grade}"')
        return grade_of(chosen[0], top_grade)
    (rating,) = ratings
    if isinstance(rating, bool) or not isinstance(rating, int) or not 0 <= rating - lowest <= top_grade:
        raise BadRow("rating", rating, f"a whole number from {lowest} to {top_grade + lowest} (see --ratings)")
    return rating - lowest
