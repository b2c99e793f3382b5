"""Where in a run's file something stands, looked up once a reader of it found fault with a query or a prediction."""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any
from unicodedata import normalize

from evaluation.errors import EvaluationError, Faults
from evaluation.formats.trec_ids import read_id, split_moment_id
from evaluation.reading.json_stream import json_lines, json_members, text_lines
from evaluation.reading.runs import recognised

Moment = tuple[str, float, float]


def locate_in_run(path: Path, query_id: str, moment: Moment | None = None, *, passed_over: Container[str] = ()) -> str:
    """The line of a query, or of one of its predictions: "line 3, prediction 7".

    Args:
        path: a run that `read_run` has read.
        moment: a prediction's video name, start and end; None: the query is what is looked for.
        passed_over: the lines, such as "line 3", that it refused and read on.
    Returns: the query's id where the format has no lines of its own (TVR's submissions).
    """
    try:
        places = _places(path, recognised(path), query_id, moment)
        there = (place for place in places if place.partition(",")[0] not in passed_over)
        return next(there, f"query_id {query_id}")
    except EvaluationError:
        return f"query_id {query_id}"


def _places(path: Path, form: str, query_id: str, moment: Moment | None) -> Iterator[str]:
    if form == "trec":
        for number, line in text_lines(path):
            columns = line.split()
            if query_id in (normalize("NFC", columns[0]), read_id(columns[0])) and (
                moment is None or _is(columns, moment)
            ):
                yield f"line {number}"
    elif form == "tvr-ranking":
        for place, key, predictions in json_members(path):
            if normalize("NFC", key) == query_id:
                yield _prediction(f"{place}, query_id {key}", predictions, moment)
    elif form in ("qreels", "qvhighlights"):
        for place, record in json_lines(path, Faults()):
            if normalize("NFC", str(record.get("query_id" if form == "qreels" else "qid"))) == query_id:
                yield _prediction(place, record.get("predictions"), moment)


def _is(columns: list[str], moment: Moment) -> bool:
    try:
        video, *times = split_moment_id(columns[2])
    except (ValueError, IndexError):
        return False
    return moment[0] in (normalize("NFC", video), read_id(video)) and moment[1:] == tuple(times)


def _prediction(place: str, predictions: Any, moment: Moment | None) -> str:
    for number, prediction in enumerate(predictions if moment and isinstance(predictions, list) else [], start=1):
        try:
            if (normalize("NFC", prediction["video_name"]), *map(float, prediction["timestamp"])) == moment:
                return f"{place}, prediction {number}"
        except (KeyError, TypeError, ValueError):
            continue  # the reader has told of it
    return place
