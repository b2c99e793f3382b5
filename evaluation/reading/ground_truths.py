"""Ground truths in the formats of the field, recognised by their content."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evaluation.errors import InputError, shown
from evaluation.ground_truth import GroundTruth, JudgedMoment, PooledMoment
from evaluation.reading.fields import interval, list_of, name, number, text_id
from evaluation.reading.json_stream import head, json_items, json_lines
from evaluation.reading.qvhighlights import read_qvhighlights_ground_truth
from evaluation.reading.trec import read_qrels
from evaluation.reading.tvr import read_tvr_ground_truth

Judged = Iterator[tuple[str, str, Sequence[JudgedMoment | PooledMoment]]]


def read_ground_truth(path: Path | str) -> GroundTruth:
    """Read a ground truth: Qreels' (a JSON list, or JSON Lines of its records), TVR's descriptions,
    QVHighlights' annotations, or TREC qrels with moment ids.

    Of a Qreels record no more is needed than ``query_id`` and, for each of its
    ``relevant_moment``, ``video_name``, ``timestamp`` and ``relevance``; ``pair_id`` is kept. A relevance that is
    null (in qrels: -1) says that the moment is in the pool and nobody judged it.
    Raises: InputError naming file, place, what was found and what was expected.
    """
    path = Path(path)
    judged = []
    seen: set[str] = set()
    for place, query_id, moments in _records(path):
        if query_id in seen:
            raise InputError(path, place, found=f"query_id {shown(query_id)} a second time", expected="each query once")
        seen.add(query_id)
        judged.append((query_id, moments))
    if not judged:
        raise InputError(path, "", found="no query", expected="a ground truth with at least one query")
    return GroundTruth.of(judged, name=path.name)


def _records(path: Path) -> Judged:
    beginning = head(path)
    if beginning.startswith("["):
        return _qreels(path, json_items(path))
    if beginning.startswith("{"):
        first = beginning.partition("\n")[0]
        if '"relevant_windows"' in first:
            return read_qvhighlights_ground_truth(path)
        if '"desc_id"' in first and '"ts"' in first:
            return read_tvr_ground_truth(path)
        if '"predictions"' in first or '"pred_relevant_windows"' in first or '"video2idx"' in first:
            raise InputError(path, "line 1", found="a run", expected="a ground truth (it comes first)")
        return _qreels(path, json_lines(path))
    if len(beginning.partition("\n")[0].split()) == 4:
        return read_qrels(path)
    return _qreels(path, json_items(path))


def _qreels(path: Path, records: Iterator[tuple[str, Any]]) -> Judged:
    for place, record in records:
        if not isinstance(record, dict):
            raise InputError(path, place, found=shown(record), expected='{"query_id", "relevant_moment"}')
        query_id = text_id(path, place, record, "query_id")
        at = f"{place}, query_id {query_id}"
        moments = [
            _moment(path, f"{at}, moment {i}", moment)
            for i, moment in enumerate(list_of(path, at, record, "relevant_moment"), start=1)
        ]
        yield at, query_id, moments


def _moment(path: Path, place: str, moment: Any) -> JudgedMoment | PooledMoment:
    video = name(path, place, moment, "video_name")
    start, end = interval(path, place, moment.get("timestamp"))
    grade = moment.get("relevance")
    if grade is None and "relevance" in moment:
        return PooledMoment(video, start, end)
    if not number(grade) or not 0 <= grade < math.inf:
        found = f"relevance {shown(grade)}" if "relevance" in moment else "no relevance"
        hint = "" if "relevance" in moment else " (a training file has none and cannot be scored against)"
        raise InputError(path, place, found=found, expected=f"relevance: a number of 0 or more{hint}")
    pair_id = moment.get("pair_id")
    return JudgedMoment(video, start, end, float(grade), None if pair_id is None else str(pair_id))
