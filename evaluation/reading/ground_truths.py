"""Ground truths in the formats of the field, recognised by their content."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unicodedata import normalize

from ..errors import Faults, InputError, read_each, shown
from ..moments.ground_truth import GroundTruth, JudgedMoment, PooledMoment
from ..reading.fields import interval, list_of, name, number, text_id
from ..reading.json_stream import head, json_items, json_lines
from ..reading.qvhighlights import judged_in_qvhighlights
from ..reading.sniffing import looks_like
from ..reading.trec import OF_QRELS, looks_like_a_run, read_qrels
from ..reading.tvr import judged_in_tvr

Judged = tuple[str, Sequence[JudgedMoment | PooledMoment]]
FACTS = {"query": "text", "desc": "text", "language": "language"}
"""What a record says of its query, by key, and which fact of a ground truth that is."""


def read_ground_truth(path: Path | str) -> GroundTruth:
    """Read a ground truth: Qreels' (a JSON list, or JSON Lines of its records), TVR's descriptions,
    QVHighlights' annotations, or TREC qrels with moment ids.

    Of a Qreels record no more is needed than ``query_id`` and, for each of its
    ``relevant_moment``, ``video_name``, ``timestamp`` and ``relevance``; ``pair_id`` is kept. A relevance that is
    null (in qrels: -1) says that the moment is in the pool and nobody judged it. The texts of queries and their
    languages, where they are stated, are the `facts`.
    Raises: InputError naming file, place, what was found and what was expected.
    """
    path = Path(path)
    faults = Faults()
    return ground_truth_of(path, *_records(path, faults), faults)


def ground_truth_of(
    path: Path, read: Callable[[str, Any], Judged], records: Iterable[tuple[str, Any]], faults: Faults
) -> GroundTruth:
    """The ground truth of records with their places, as `read` reads each. Raises: InputError in the name of `path`."""
    judged: dict[str, Sequence[JudgedMoment | PooledMoment]] = {}
    facts: dict[str, dict[str, str]] = {}

    def add(placed: tuple[str, Any]) -> None:
        query_id, moments = read(*placed)
        query_id = normalize("NFC", query_id)
        if query_id in judged:
            found = f"query_id {shown(query_id)} a second time"
            raise InputError(path, placed[0], found=found, expected="each query once")
        judged[query_id] = moments
        for key, fact in FACTS.items() if isinstance(placed[1], dict) else ():
            if isinstance(value := placed[1].get(key), str):
                facts.setdefault(fact, {})[query_id] = value

    try:
        read_each(records, add, faults)
    except InputError as fault:  # nothing more can be read
        faults.add(fault)
    faults.raise_any()
    if not judged:
        raise InputError(path, "", found="no query", expected="a ground truth with at least one query")
    return replace(GroundTruth.of(judged.items(), name=path.name), facts=facts)


def _records(path: Path, faults: Faults) -> tuple[Callable[[str, Any], Judged], Iterator[tuple[str, Any]]]:
    """How a record is read, and the records with their places."""
    beginning = head(path)
    first = beginning.partition("\n")[0]
    if beginning.startswith("["):
        return partial(judged_in_qreels, path), json_items(path)
    if beginning.startswith("{"):
        if '"predictions"' in first or '"pred_relevant_windows"' in first or '"video2idx"' in first:
            raise InputError(path, "line 1", found="a run", expected="a ground truth (it comes first)")
        read: Callable[..., Judged] = judged_in_qreels
        if '"relevant_windows"' in first:
            read = judged_in_qvhighlights
        elif '"desc_id"' in first and '"ts"' in first:
            read = judged_in_tvr
        return partial(read, path), json_lines(path, faults)
    if looks_like_a_run(first):
        raise InputError(path, "line 1", found="a TREC run", expected="a ground truth (it comes first)")
    if len(first.split()) == 4 or first.startswith("#"):
        return lambda place, judged: judged, read_qrels(path)
    if first:
        expected = f"a ground truth: a JSON list or JSON Lines of queries, or TREC's qrels, {OF_QRELS}"
        raise InputError(path, "line 1", found=looks_like(beginning), expected=expected)
    return partial(judged_in_qreels, path), json_items(path)


def judged_in_qreels(path: Path, place: str, record: Any) -> Judged:
    """The query and its judged moments of a release's record. Raises: InputError."""
    if not isinstance(record, dict):
        raise InputError(path, place, found=shown(record), expected='{"query_id", "relevant_moment"}')
    query_id = text_id(path, place, record, "query_id")
    at = f"{place}, query_id {query_id}"

    def moment(numbered: tuple[int, Any]) -> JudgedMoment | PooledMoment:
        return _moment(path, f"{at}, moment {numbered[0]}", numbered[1])

    return query_id, read_each(enumerate(list_of(path, at, record, "relevant_moment"), start=1), moment)


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
