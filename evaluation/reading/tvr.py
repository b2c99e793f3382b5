"""TVR's files: submissions with ``video2idx``, and moment descriptions as ground truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.errors import Faults, InputError, read_each, shown
from evaluation.moments.ground_truth import JudgedMoment
from evaluation.moments.run import Run, RunBuilder
from evaluation.reading.fields import interval, intervals, list_of, name, number, text_id
from evaluation.reading.json_stream import json_members

TASKS = ("VCMR", "SVMR", "VR")


def read_tvr_run(path: Path, task: str, *, name: str, faults: Faults | None = None) -> Run:
    """One task's list of a TVR submission.

    ``{"video2idx": {name: index}, "VCMR": [{"desc_id", "predictions": [[index, start, end,
    score], ...]}], "SVMR": [...], "VR": [...]}``. The order of the list is the ranking; the
    score is left unread, as TVR's evaluator leaves it (published examples have it ascending).
    The list VR ranks videos; its times mean nothing.
    Source: jayleicn/TVRetrieval, standalone_eval/README.md.
    """
    names: dict[int, str] | None = None
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
        found = f"predictions for {' and '.join(present)}" if present else "no predictions"
        raise InputError(path, "", found=found, expected=f"the task {task}")
    if names is None:
        raise InputError(path, "", found="no video2idx", expected="video2idx: the videos' indices")
    builder = RunBuilder(name, ranks_videos=task == "VR")
    read_each(rows, lambda row: _add(builder, path, *row, names, times_count=task != "VR"), faults)
    return builder.finished()


def _video_names(path: Path, place: str, value: Any) -> dict[int, str]:
    if not isinstance(value, dict) or not all(type(index) is int for index in value.values()):
        raise InputError(path, place, found=f"video2idx {shown(value)}", expected="{name: whole number}")
    names = {index: video for video, index in value.items()}
    if len(names) < len(value):
        raise InputError(path, place, found="one index for two videos in video2idx", expected="one each")
    return names


def _add(builder: RunBuilder, path: Path, place: str, row: Any, names: dict[int, str], *, times_count: bool) -> None:
    if not isinstance(row, dict):
        raise InputError(path, place, found=shown(row), expected='{"desc_id", "predictions"}')
    query_id = text_id(path, place, row, "desc_id")
    at = f"{place}, desc_id {query_id}"
    if query_id in builder:
        raise InputError(path, at, found="a desc_id a second time", expected="each once")
    predictions = list_of(path, at, row, "predictions")
    videos = []
    for i, prediction in enumerate(predictions, start=1):
        here = f"{at}, prediction {i}"
        if not isinstance(prediction, list) or len(prediction) < 3 or not all(map(number, prediction[:3])):
            raise InputError(path, here, found=shown(prediction), expected="[video index, start, end, score]")
        if prediction[0] not in names:
            raise InputError(path, here, found=f"video index {prediction[0]}", expected="an index of video2idx")
        videos.append(names[prediction[0]])
    times: FloatArray = np.zeros((len(videos), 2))
    if times_count:
        times = intervals(path, at, [prediction[1:3] for prediction in predictions])
    builder.add(query_id, videos, times, [None] * len(videos))


def judged_in_tvr(path: Path, place: str, record: dict[str, Any]) -> tuple[str, list[JudgedMoment]]:
    """The query and the one moment, of grade 1, of TVR's ``{"desc_id", "vid_name", "ts": [start, end]}``."""
    query_id = text_id(path, place, record, "desc_id")
    video = name(path, place, record, "vid_name")
    return query_id, [JudgedMoment(video, *interval(path, place, record.get("ts"), "ts"), 1.0)]
