"""Label Studio's exports as judgments: JSON, JSON-MIN, and CSV or TSV.

Source: Label Studio's documentation, "Export annotations" and "Task format".
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evaluation.errors import Faults, InputError, shown
from evaluation.reading.fields import interval
from evaluation.reading.json_stream import json_items, open_text

RATINGS = {"1-5": 1, "0-4": 0}
"""What a Label Studio rating stands for: the rating that is grade 0. Its stars can't say 0, so they begin at 1."""
CONTROLS = ("relevance", "grade", "rating", "choice")
"""Columns of JSON-MIN and CSV that may hold a plain choice; a rating is known by its content in any column."""


def is_label_studio(beginning: str) -> bool:
    """Whether a file begins as an export does: a JSON list, or a header with the export's own columns."""
    names = set(re.split(r'["\s,]+', beginning.partition("\n")[0]))
    return beginning.startswith("[") or {"annotator", "annotation_id"} <= names


def label_studio_judgments(
    path: Path, top_grade: int, faults: Faults, *, ratings: str = "1-5"
) -> Iterator[tuple[str, tuple[str, str, int, tuple[str, str, float, float] | None]]]:
    """Every judgment of an export: its place, then pair_id, worker, grade and moment; see `Judgments`.

    In JSON every annotation that isn't cancelled is one judgment; in JSON-MIN and CSV every row with an annotation is.
    Predictions are none. A pair is the task's `pair_id`, or else the task. Of a person the id is kept, as ``ls-ID``.

    Raises: KeyError if there is no such kind of ratings.
    """
    lowest = RATINGS[ratings]
    for place, task in _tasks(path, faults):
        try:
            data, annotations = _annotations(path, place, task)
            pair_id = str(data.get("pair_id") or task.get("id") or place)
            moment = _moment(path, place, data)
            for by, values in annotations:
                yield place, (pair_id, _person(path, place, by), _grade(path, place, values, lowest, top_grade), moment)
        except InputError as fault:
            faults.add(fault)


def _tasks(path: Path, faults: Faults) -> Iterator[tuple[str, dict[str, Any]]]:
    with open_text(path) as file:
        first = file.readline()
        if first.lstrip()[:1] != "[":
            file.seek(0)
            rows = csv.DictReader(file, delimiter="\t" if "\t" in first and "," not in first else ",", strict=True)
            try:
                for row in rows:
                    place = f"line {rows.line_num}"
                    yield f"{place}, task {row['id']}" if row.get("id") else place, row
            except (UnicodeDecodeError, csv.Error) as error:
                faults.add(InputError(path, f"line {rows.line_num}", found=str(error), expected="a CSV file in UTF-8"))
            return
    for number, (place, task) in enumerate(json_items(path), start=1):
        if isinstance(task, dict):
            yield f"task {task['id']}, record {number:,}" if "id" in task else f"record {number:,}", task
        else:
            faults.add(InputError(path, place, found=shown(task), expected="a task"))


def _annotations(path: Path, place: str, task: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[tuple[Any, Any]]]:
    """What a task is about, and by whom it was judged, with the values of the controls."""
    if "data" not in task and "annotator" in task:
        by = task["annotator"] or None
        return task, [] if by is None and not task.get("annotation_id") else [(by, values_of_row(task))]
    data, annotations = task.get("data"), task.get("annotations", task.get("completions"))
    if not isinstance(data, dict) or not isinstance(annotations, list):
        raise InputError(path, place, found=shown(task), expected="a task with its data and a list of annotations")
    judged = []
    for annotation in annotations:
        if not isinstance(annotation, dict):
            raise InputError(path, place, found=shown(annotation), expected="an annotation")
        if annotation.get("was_cancelled") is not True:
            regions = annotation.get("result") or []
            values = [region.get("value") for region in regions if isinstance(region, dict)]
            judged.append((annotation.get("completed_by"), [value for value in values if isinstance(value, dict)]))
    return data, judged


def values_of_row(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The values of the controls in a row of JSON-MIN or CSV, as the JSON export has them."""
    values: list[dict[str, Any]] = []
    for name, cell in row.items():
        try:
            value = json.loads(cell) if isinstance(cell, str) and cell[:1] in ("[", "{") else cell
        except (ValueError, RecursionError):
            continue
        if name in CONTROLS and isinstance(value, str) and value.strip():
            values.append({"choices": [value.strip()]})
        elif name in CONTROLS and isinstance(value, int):
            values.append({"rating": value})
        values += [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]
    return values


def _moment(path: Path, place: str, data: Mapping[str, Any]) -> tuple[str, str, float, float] | None:
    query, video, times = data.get("query_id") or data.get("query"), data.get("video_name"), data.get("timestamp")
    if times in (None, "") and data.get("start") not in (None, ""):
        times = f"[{data['start']}, {data.get('end')}]"
    if not query or not video or not times:
        return None
    try:
        times = json.loads(times) if isinstance(times, str) else times
    except (ValueError, RecursionError) as error:
        raise InputError(path, place, found=f"timestamp {shown(times)}", expected="[start, end] in seconds") from error
    return str(query), str(video), *interval(path, place, times)


def _person(path: Path, place: str, by: object) -> str:
    if isinstance(by, dict):
        by = by.get("id")
    if isinstance(by, bool) or not str(by).strip().isdecimal():
        # What stands there may be a mail address: it isn't repeated.
        found = "a mail address" if "@" in str(by) else "nothing" if by is None else type(by).__name__
        raise InputError(
            path, place, found=f"completed_by: {found}", expected="a person's id, as the JSON export has it"
        )
    return f"ls-{int(str(by))}"


def _grade(path: Path, place: str, values: list[dict[str, Any]], lowest: int, top_grade: int) -> int:
    ratings = [value["rating"] for value in values if "rating" in value]
    choices = [value["choices"] for value in values if "choices" in value]
    if len(ratings or choices) != 1:
        found = f"{len(ratings) + len(choices)} ratings and choices"
        raise InputError(path, place, found=found, expected="one")
    if ratings:
        rating, kind, least = ratings[0], "rating", lowest
    else:
        chosen = choices[0]
        choice = chosen[0] if isinstance(chosen, list) and len(chosen) == 1 else chosen
        rating, kind, least = int(choice) if str(choice).isdecimal() else choice, "choice", 0
    if isinstance(rating, bool) or not isinstance(rating, int) or not least <= rating <= top_grade + least:
        expected = f"a whole number from {least} to {top_grade + least}"
        raise InputError(path, place, found=f"{kind} {shown(rating)}", expected=expected)
    return rating - least
