"""QVHighlights' files: predictions and annotations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import Faults, InputError, read_each, shown
from ..moments.ground_truth import JudgedMoment
from ..moments.run import RunBuilder
from ..reading.fields import interval, intervals, list_of, name, number, scores, text_id
from ..reading.json_stream import json_lines


def read_qvhighlights_run(path: Path, builder: RunBuilder, faults: Faults) -> None:
    """JSON Lines of ``{"qid", "vid", "pred_relevant_windows": [[start, end, score], ...]}``.

    All windows of a query lie in its one video. Saliency scores are left unread.
    Source: jayleicn/moment_detr, standalone_eval/README.md.
    """

    def add(placed: tuple[str, dict[str, Any]]) -> None:
        place, record = placed
        query_id = text_id(path, place, record, "qid")
        if builder.refuses(query_id):
            raise InputError(path, place, found=f"qid {query_id} a second time", expected="each query once")
        video = _video(path, place, record)
        windows = list_of(path, place, record, "pred_relevant_windows")
        for i, window in enumerate(windows, start=1):
            if not isinstance(window, list) or len(window) != 3 or not all(map(number, window)):
                raise InputError(path, f"{place}, window {i}", found=shown(window), expected="[start, end, score]")
        times = intervals(path, place, [window[:2] for window in windows], "window")
        given = scores(path, place, [window[2] for window in windows])
        builder.add(query_id, [video] * len(windows), times, given)

    read_each(json_lines(path, faults), add, faults)


def judged_in_qvhighlights(path: Path, place: str, record: dict[str, Any]) -> tuple[str, list[JudgedMoment]]:
    """The query and moments of ``{"qid", "vid", "relevant_windows": [[start, end], ...]}``, each of grade 1."""
    query_id = text_id(path, place, record, "qid")
    video = _video(path, place, record)
    windows = list_of(path, place, record, "relevant_windows")

    def moment(numbered: tuple[int, Any]) -> JudgedMoment:
        return JudgedMoment(video, *interval(path, f"{place}, window {numbered[0]}", numbered[1], "window"), 1.0)

    return query_id, read_each(enumerate(windows, start=1), moment)


def _video(path: Path, place: str, record: dict[str, Any]) -> str:
    return name(path, place, record, "vid")
