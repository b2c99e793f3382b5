"""Where in a run's file something stands, looked up once a reader of it found fault with a query or a prediction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluation.errors import EvaluationError
from evaluation.moment_ids import read_moment_id
from evaluation.reading.json_stream import json_lines, json_members, text_lines
from evaluation.reading.runs import recognised


def locate_in_run(path: Path, query_id: str, moment: tuple[str, float, float] | None = None) -> str:
    """The line of a query, or of one of its predictions: "line 3, prediction 7".

    Args:
        path: a run that `read_run` has read.
        moment: a prediction's video name, start and end; None: the query is what is looked for.
    Returns: the query's id where the format has no lines of its own (TVR's submissions).
    """
    named = f"query_id {query_id}"
    try:
        return _place(path, recognised(path), query_id, moment) or named
    except EvaluationError:
        return named


def _place(path: Path, form: str, query_id: str, moment: tuple[str, float, float] | None) -> str:
    if form == "trec":
        for number, line in text_lines(path):
            columns = line.split()
            if columns[0] == query_id and (moment is None or read_moment_id(columns[2]) == moment):
                return f"line {number}"
    if form == "qreels":
        for place, record in json_lines(path):
            if str(record["query_id"]) == query_id:
                return _prediction(place, record["predictions"], moment)
    if form == "tvr-ranking":
        for place, key, predictions in json_members(path):
            if key == query_id:
                return _prediction(f"{place}, query_id {key}", predictions, moment)
    if form == "qvhighlights":
        for place, record in json_lines(path):
            if str(record["qid"]) == query_id:
                return place
    return ""


def _prediction(place: str, predictions: list[Any], moment: tuple[str, float, float] | None) -> str:
    if moment is None:
        return place
    for number, one in enumerate(predictions, start=1):
        if (one["video_name"], *map(float, one["timestamp"])) == moment:
            return f"{place}, prediction {number}"
    return place
