"""Queries in groups: by show, length, language, number of relevant moments, batches, or as somebody says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from ..errors import EvaluationError, Faults, InputError
from ..formats.video_names import show_of
from ..moments.ground_truth import GroundTruth
from ..reading.csv_rows import csv_rows
from ..reading.json_stream import lines_of

WORDS, MOMENTS = (0, 5, 10, 15, 20), (0, 1, 5, 10, 20)
"""The most words of a text, and relevant moments, of each group but the last."""
NO_GROUP = "(none)"
GroupsGiven = str | PathLike[str] | Mapping[str, str] | Mapping[str, int]


def groups_of(truth: GroundTruth, given: GroupsGiven, *, column: str = "") -> dict[str, str]:
    """The group of each query: query_id -> group, `NO_GROUP` for those that nothing is said of.

    Args:
        given: ``show`` (of the video of the query's first moment among those of its highest grade), ``length`` (of the
            text, in words), ``relevant`` (how many moments of grade 1 and more), ``language``, ``batches`` or another
            fact of the ground truth; a mapping by query_id; or a CSV file with a column ``query_id``.
        column: the column of the CSV file; not needed if it has one beside ``query_id``.
    Raises: EvaluationError if the ground truth doesn't say it; InputError for a file.

    >>> truth = GroundTruth.of([("q1", []), ("q2", [])])
    >>> groups_of(truth, "relevant"), groups_of(truth, {"q1": "indoors"})
    ({'q1': '0', 'q2': '0'}, {'q1': 'indoors', 'q2': '(none)'})
    """
    if isinstance(given, Mapping):
        known = {str(query_id): str(group) for query_id, group in given.items()}
    elif given == "show":
        known = _shows(truth)
    elif given == "relevant":
        counts = truth.count_per_query(truth.relevant()).tolist()
        known = {query_id: _bin(count, MOMENTS) for query_id, count in zip(truth.query_ids, counts, strict=True)}
    elif given == "length" and "text" in truth.facts:
        known = {query_id: _bin(len(text.split()), WORDS) for query_id, text in truth.fact("text").items()}
    elif isinstance(given, str) and given in truth.facts:
        known = dict(truth.fact(given))
    elif Path(given).is_file():
        known = _read(Path(given), column)
    else:
        there = ["show", "relevant", *(["length"] if "text" in truth.facts else []), *sorted(truth.facts)]
        raise EvaluationError(
            f"{truth.name} doesn't say {given!s} of its queries, and no such file is there; it says "
            f"{', '.join(there)}. Give a dict of query_id -> group, or a CSV file"
        )
    return {query_id: known.get(query_id, NO_GROUP) for query_id in truth.query_ids}


def in_order(groups: Sequence[str]) -> list[str]:
    """Each group once, numbers in their order.

    >>> in_order(["11-15", "6-10", "more than 20", "6-10"])
    ['6-10', '11-15', 'more than 20']
    """
    return sorted(dict.fromkeys(groups), key=lambda group: [*map(_number_or_text, re.split(r"(\d+)", group))])


def _number_or_text(part: str) -> tuple[bool, int, str]:
    return (False, int(part), "") if part.isdecimal() else (bool(part), 0, part)


def _shows(truth: GroundTruth) -> dict[str, str]:
    videos = truth.video[np.minimum(truth.offset[:-1], len(truth.video) - 1)].tolist()
    judged = (np.diff(truth.offset) > 0).tolist()
    own = zip(truth.query_ids, videos, judged, strict=True)
    return {query_id: show_of(truth.video_names[video]) for query_id, video, known in own if known}


def _bin(number: int, most: Sequence[int]) -> str:
    """The group of a number, in words.

    >>> [_bin(number, (0, 1, 5)) for number in (0, 1, 3, 6)]
    ['0', '1', '2-5', 'more than 5']
    """
    place = int(np.searchsorted(most, number))
    if place == len(most):
        return f"more than {most[-1]}"
    least = most[place - 1] + 1 if place else 0
    return str(most[place]) if least == most[place] else f"{least}-{most[place]}"


def _read(path: Path, column: str) -> dict[str, str]:
    """A column of a CSV file by its column query_id. Raises: InputError."""
    faults = Faults()
    header: list[str] = []
    known: dict[str, str] = {}
    for line, cells in csv_rows(path, lines_of(path), faults):
        if not header:
            header = cells
            others = [name for name in header if name != "query_id"]
            chosen = column or (others[0] if len(others) == 1 else "")
            if "query_id" not in header or chosen not in header:
                expected = f"query_id and {column or 'one more, or which one is meant'}"
                raise InputError(path, f"line {line}", found=f"the columns {', '.join(header)}", expected=expected)
            continue
        row = dict(zip(header, cells, strict=True))
        if known.setdefault(row["query_id"], row[chosen]) != row[chosen]:
            found = f"query_id {row['query_id']!r} a second time"
            faults.add(InputError(path, f"line {line}", found=found, expected="one group a query"))
    faults.raise_any()
    if not known:
        raise InputError(path, "", found="no row", expected="a CSV file with a column query_id")
    return known
