"""TVR's files: submissions, whose videos are indices, the indices, and moment descriptions as ground truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..errors import Faults, InputError, read_each, shown
from ..moments.ground_truth import JudgedMoment
from ..moments.run import RunBuilder
from ..reading.fields import interval, intervals, list_of, name, number, scores, text_id
from ..reading.json_stream import json_items, json_members

TASKS = ("VCMR", "SVMR", "VR")
BESIDE = "the videos' indices beside it: --videos FILE, such as tvr_video2dur_idx.json or video_name_duration_id.json"


def read_tvr_run(
    path: Path, builder: RunBuilder, task: str, faults: Faults, video_indices: Mapping[str, int] | None
) -> None:
    """One task's list of a TVR submission.

    ``{"video2idx": {name: index}, "VCMR": [{"desc_id", "predictions": [[index, start, end,
    score], ...]}], "SVMR": [...], "VR": [...]}``. The order of the list is the ranking; the
    score is left unread, as TVR's evaluator leaves it (published examples have it ascending).
    The list VR ranks videos; its times mean nothing.
    Source: jayleicn/TVRetrieval, standalone_eval/README.md.
    """
    names = None if video_indices is None else {index: video for video, index in video_indices.items()}
    rows: list[tuple[str, Any]] | None = None
    present = []
    for place, key, value in json_members(path):
        if key == "video2idx":
            names = _video_names(path, place, value)
        elif key in TASKS:
            present.append(key)
            if key == task:
                if not isinstance(value, list):
                    raise InputError(path, place, found=f"{key} {shown(value)}", expected=f"{key}: a list")
                rows = [(f"{key}, record {i}", row) for i, row in enumerate(value, start=1)]
    if rows is None:
        found = f"predictions for {' and '.join(present)}" if present else "no list of predictions"
        raise InputError(path, "", found=found, expected=f"the task {task}: a list by the key {task}")
    if names is None:
        raise InputError(path, "", found="no video2idx", expected=f"video2idx: the videos' indices, or {BESIDE}")
    add = _adding(builder, path, names, "desc_id")

    def add_row(row: tuple[str, Any]) -> None:
        add(*row, times_count=task != "VR")

    read_each(rows, add_row, faults)


def read_indexed_run(path: Path, builder: RunBuilder, faults: Faults, video_indices: Mapping[str, int] | None) -> None:
    """``[{"query_id", "predictions": [[video index, start, end, score], ...]}]``, as TVR-Ranking's systems write it.

    The ranking is by score. Raises: InputError without `video_indices`.
    """
    if video_indices is None:
        raise InputError(path, "line 1", found="a run whose videos are indices", expected=BESIDE)
    add = _adding(builder, path, {index: video for video, index in video_indices.items()}, "query_id")
    read_each(json_items(path), lambda row: add(*row, times_count=True, scores_count=True), faults)


def read_video_indices(path: Path) -> dict[str, int]:
    """``{name: index}``, also out of ``{name: [seconds, index]}`` or ``{split: {name: [seconds, index]}}``.

    Raises: InputError for anything else, or one index for two videos.
    """
    indices: dict[str, int] = {}
    names: dict[int, str] = {}
    for place, key, value in json_members(path):
        rows: dict[str, Any] = value if isinstance(value, dict) else {key: value}
        for video, entry in rows.items():
            index = entry[1] if isinstance(entry, list) and len(entry) == 2 else entry
            if type(index) is not int:
                raise InputError(
                    path,
                    place,
                    found=f"{shown(entry)} for the video {shown(video)}",
                    expected="an index, a whole number",
                )
            if names.setdefault(index, video) != video:
                found = f"the index {index} for {shown(video)} and {shown(names[index])}"
                raise InputError(path, place, found=found, expected="one each")
            indices[video] = index
    return indices


def read_durations(path: Path) -> dict[str, float | None]:
    """Videos' durations in seconds: ``{name: seconds}``, or with an index as `read_video_indices` reads it; None where
    the file has null.

    Raises: InputError for anything else.
    """
    durations: dict[str, float | None] = {}
    for place, key, value in json_members(path):
        rows: dict[str, Any] = value if isinstance(value, dict) else {key: value}
        for video, entry in rows.items():
            seconds = entry[0] if isinstance(entry, list) and len(entry) == 2 else entry
            if seconds is not None and not (number(seconds) and 0 < seconds < math.inf):
                expected = "a duration in seconds above 0, or null"
                raise InputError(path, f"{place}, video {shown(video)}", found=shown(seconds), expected=expected)
            durations[video] = None if seconds is None else float(seconds)
    return durations


def _video_names(path: Path, place: str, value: Any) -> dict[int, str]:
    if not isinstance(value, dict) or not all(type(index) is int for index in value.values()):
        raise InputError(path, place, found=f"video2idx {shown(value)}", expected="{name: whole number}")
    names = {index: video for video, index in value.items()}
    if len(names) < len(value):
        raise InputError(path, place, found="one index for two videos in video2idx", expected="one each")
    return names


def _adding(builder: RunBuilder, path: Path, names: Mapping[int, str], key: str) -> Callable[..., None]:
    """Adds a record whose query is named by `key`, and whose predictions are [video index, start, end, score]."""

    def add(place: str, row: Any, *, times_count: bool, scores_count: bool = False) -> None:
        if not isinstance(row, dict):
            raise InputError(path, place, found=shown(row), expected=f'{{"{key}", "predictions"}}')
        query_id = text_id(path, place, row, key)
        at = f"{place}, {key} {query_id}"
        if builder.refuses(query_id):
            raise InputError(path, at, found=f"a {key} a second time", expected="each once")
        predictions = list_of(path, at, row, "predictions")
        least = 4 if scores_count else 3
        videos = []
        for i, prediction in enumerate(predictions, start=1):
            here = f"{at}, prediction {i}"
            if not isinstance(prediction, list) or len(prediction) < least or not all(map(number, prediction[:least])):
                raise InputError(path, here, found=shown(prediction), expected="[video index, start, end, score]")
            if prediction[0] not in names:
                raise InputError(path, here, found=f"video index {prediction[0]}", expected="an index of a known video")
            videos.append(names[prediction[0]])
        times: FloatArray = np.zeros((len(videos), 2))
        if times_count:
            times = intervals(path, at, [prediction[1:3] for prediction in predictions])
        given = [prediction[3] if scores_count else None for prediction in predictions]
        builder.add(query_id, videos, times, scores(path, at, given))

    return add


def judged_in_tvr(path: Path, place: str, record: dict[str, Any]) -> tuple[str, list[JudgedMoment]]:
    """The query and the one moment, of grade 1, of TVR's ``{"desc_id", "vid_name", "ts": [start, end]}``."""
    query_id = text_id(path, place, record, "desc_id")
    video = name(path, place, record, "vid_name")
    return query_id, [JudgedMoment(video, *interval(path, place, record.get("ts"), "ts"), 1.0)]
