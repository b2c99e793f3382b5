"""Label Studio's exports as judgments: JSON, JSON-MIN, and CSV or TSV.

Source: Label Studio's documentation, "Export annotations" and "Task format".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import Faults, InputError, shown
from ..reading.csv_rows import csv_rows
from ..reading.grade_scale import GradeScale
from ..reading.json_stream import json_items
from ..reading.judgment_rows import ABOUT, About, JudgmentRow

RATINGS = {"1-5": 1, "0-4": 0}
"""What a Label Studio rating stands for: the rating that is grade 0. Its stars can't say 0, so they begin at 1."""
CONTROLS = ("relevance", "grade", "rating", "choice")
"""Columns of JSON-MIN and CSV that may hold a plain choice; a rating is known by its content in any column."""
_STATED = ("pair_id", *ABOUT, "start", "end")

Judged = list[tuple[Any, list[dict[str, Any]]]]
"""By whom, and the values of the controls."""


def label_studio_judgments(
    path: Path, lines: Iterable[str], scale: GradeScale, faults: Faults, *, in_json: bool, ratings: str = "1-5"
) -> Iterator[JudgmentRow]:
    """Every judgment of an export, in file order.

    A task holds query_id, query, video_name, timestamp [start, end] (a list, or its JSON text) or start and end,
    caption, similarity, duration; what is empty isn't stated. In JSON every annotation that isn't cancelled is one
    judgment; in JSON-MIN and CSV every row with an annotation is. A judgment is the only rating (`ratings` says whether
    1-5 or 0-4 stand for the grades, unless the scale has a table), or else the only choice or
    number. Predictions are none. A pair is the task's `pair_id`, or
    else the task. Of a person the id alone is kept, as ``ls-ID``.

    Args: lines: the file's, of CSV and TSV; JSON is read from `path`.
    Raises: KeyError if there is no such kind of ratings; InputError for what is no JSON list.
    """
    lowest = RATINGS[ratings]
    for number, place, task in _in_json(path) if in_json else _in_rows(path, lines, faults):
        try:
            data, judged = _judged(path, place, task)
        except InputError as fault:
            faults.add(fault)
            continue
        stated = {name: data.get(f"_data_{name}", data.get(name)) for name in _STATED}
        about = {name: value for name, value in stated.items() if not _empty(value)}
        if "timestamp" not in about and "start" in about:
            about["timestamp"] = [about["start"], about.get("end")]
        task_id = task.get("id")
        pair_id = str(about.get("pair_id", place if _empty(task_id) else task_id))
        for by, values in judged:
            try:
                person = _person(path, place, by)
                grade = _grade(path, place, values, lowest, scale)
                yield JudgmentRow(number, place, pair_id, person, grade, about)
            except InputError as fault:
                faults.add(fault)


def _empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _in_json(path: Path) -> Iterator[tuple[int, str, Any]]:
    for number, (_, task) in enumerate(json_items(path), start=1):
        of_task = isinstance(task, dict) and isinstance(task.get("id"), int)
        yield number, f"task {task['id']}, record {number:,}" if of_task else f"record {number:,}", task


def _in_rows(path: Path, lines: Iterable[str], faults: Faults) -> Iterator[tuple[int, str, dict[str, str]]]:
    header: list[str] = []
    for line, cells in csv_rows(path, lines, faults):
        if header:
            row = dict(zip(header, cells, strict=True))
            yield line, f"line {line}, task {row['id']}" if row.get("id") else f"line {line}", row
        header = header or cells


def _judged(path: Path, place: str, task: Any) -> tuple[About, Judged]:
    """What a task is about, and its judgments."""
    if isinstance(task, dict) and "data" not in task and "annotator" in task:
        by = None if _empty(task["annotator"]) else task["annotator"]
        return task, [] if by is None and _empty(task.get("annotation_id")) else [(by, _values_of_row(task))]
    if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
        raise InputError(path, place, field="data", value=shown(task), expected="a task with its data")
    annotations = task.get("annotations", task.get("completions"))
    if not isinstance(annotations, list):
        found = "nothing" if annotations is None else shown(annotations)
        raise InputError(path, place, field="annotations", value=found, expected="a list")
    judged: Judged = []
    for annotation in annotations:
        if not isinstance(annotation, dict):
            raise InputError(path, place, field="annotations", value=shown(annotation), expected="an annotation")
        if annotation.get("was_cancelled") is not True:
            regions = annotation.get("result")
            values = [one.get("value") for one in regions if isinstance(one, dict)] if isinstance(regions, list) else []
            judged.append((annotation.get("completed_by"), [value for value in values if isinstance(value, dict)]))
    return task["data"], judged


def _values_of_row(row: Mapping[str, Any]) -> list[dict[str, Any]]:
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


def _person(path: Path, place: str, by: Any) -> str:
    if isinstance(by, dict):
        by = by.get("id")
    if isinstance(by, bool) or not str(by).strip().isdecimal():
        # What stands there may be a mail address: it isn't repeated.
        found = "a mail address" if "@" in str(by) else "nothing" if by is None else type(by).__name__
        expected = "a person's id, as the JSON export has it"
        raise InputError(
            path, place, found=f"completed_by: {found}", expected=expected, field="completed_by", value=found
        )
    return f"ls-{int(str(by))}"


def _grade(path: Path, place: str, values: list[dict[str, Any]], lowest: int, scale: GradeScale) -> int:
    ratings = [value["rating"] for value in values if "rating" in value]
    choices = [value["choices"] for value in values if "choices" in value]
    choices += [[f"{value['number']}"] for value in values if "number" in value]
    if len(ratings or choices) != 1:
        found = f"{len(ratings) + len(choices)} ratings and choices"
        raise InputError(path, place, field="result", value=found, found=found, expected="one")
    if not ratings:
        (chosen,) = choices
        if not isinstance(chosen, list) or len(chosen) != 1 or not isinstance(chosen[0], str):
            expected = f'one of "0" to "{scale.top}"'
            raise InputError(path, place, field="choices", value=shown(chosen), expected=expected)
        return scale.read(path, place, chosen[0])
    (rating,) = ratings
    if isinstance(rating, int) and not isinstance(rating, bool):
        if scale.table is not None:
            return scale.read(path, place, str(rating), field="rating")
        if rating - lowest in scale.grades:
            return rating - lowest
    expected = f"a whole number from {lowest} to {scale.top + lowest} (see --ratings)"
    raise InputError(path, place, field="rating", value=shown(rating), expected=expected)
