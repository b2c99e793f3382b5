"""Where in a run's file something stands, looked up once a reader of it found fault with a query or a prediction."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from unicodedata import normalize

from ..errors import EvaluationError, Faults
from ..formats.trec_ids import read_id, split_moment_id
from ..reading.json_stream import json_items, json_lines, json_members, text_lines
from ..reading.runs import recognised

Moment = tuple[str, float, float]


def locate_in_run(path: Path, query_id: str, moment: Moment | None = None) -> str:
    """The line of one query or prediction, as `locate_all`."""
    return locate_all(path, [(query_id, moment)])[0]


def locate_all(
    path: Path, wanted: Sequence[tuple[str, Moment | None]], *, passed_over: Container[str] = ()
) -> list[str]:
    """The lines of queries, or of predictions of them: "line 3, prediction 7". The file is read once.

    Args:
        path: a run that `read_run` has read.
        wanted: query ids, each with a prediction's video name, start and end; None: the query is what is looked for.
        passed_over: the lines, such as "line 3", that it refused and read on.
    Returns: the query's id where the format has no lines of its own (TVR's submissions).
    """
    pending, found = set(wanted), {}
    with suppress(EvaluationError):
        for place, query_ids, content in _records(path, recognised(path)):
            if not pending:
                break
            if place.partition(",")[0] not in passed_over:
                for one in [one for one in pending if one[0] in query_ids]:
                    if there := _place(place, content, one[1]):
                        found[one] = there
                        pending.remove(one)
    return [found.get(one, f"query_id {one[0]}") for one in wanted]


def _records(path: Path, form: str) -> Iterator[tuple[str, set[str], Any]]:
    """Place, what it may call its query, and its columns or predictions."""
    if form == "trec":
        for number, line in text_lines(path):
            columns = line.split()
            yield f"line {number}", {normalize("NFC", columns[0]), read_id(columns[0])}, tuple(columns)
    elif form == "tvr-ranking":
        for place, key, predictions in json_members(path):
            yield f"{place}, query_id {key}", {normalize("NFC", key)}, predictions
    elif form == "tvr-ranking-list":
        for place, record in json_items(path):
            yield place, {normalize("NFC", str(record.get("query_id")))}, record.get("predictions")
    elif form in ("qreels", "qvhighlights"):
        for place, record in json_lines(path, Faults()):
            query_id = str(record.get("query_id" if form == "qreels" else "qid"))
            yield place, {normalize("NFC", query_id)}, record.get("predictions")


def _place(place: str, content: Any, moment: Moment | None) -> str:
    if moment is None or not isinstance(content, tuple):
        return _prediction(place, content, moment) if moment else place
    return place if _is(content, moment) else ""


def _is(columns: Sequence[str], moment: Moment) -> bool:
    try:
        video, *times = split_moment_id(columns[2])
    except (ValueError, IndexError):
        return False
    return moment[0] in (normalize("NFC", video), read_id(video)) and moment[1:] == tuple(times)


def _prediction(place: str, predictions: Any, moment: Moment) -> str:
    for number, prediction in enumerate(predictions if isinstance(predictions, list) else [], start=1):
        try:
            if (normalize("NFC", prediction["video_name"]), *map(float, prediction["timestamp"])) == moment:
                return f"{place}, prediction {number}"
        except (KeyError, TypeError, ValueError):
            continue  # the reader has told of it
    return place
