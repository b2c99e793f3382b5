"""Which queries and moments a release's page shows as samples. Pure."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

QUERIES = 24
"""Queries that are chosen; a page shows the first of them that it may."""
MOMENTS = 6
"""Moments of each."""


def choose_samples(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Queries with many different grades first, by a lot that depends on the query's id alone.

    Args: records: a released split's, each with query_id, query and relevant_moment.
    Returns: `{"query_id", "query", "moments": [{"video_name", "start", "end", "grade"}]}`, the moments best first;
        without captions, ranks and similarities.

    >>> moment = lambda grade: {"video_name": "v", "timestamp": [grade, 9.5], "relevance": grade, "caption": "c"}
    >>> record = lambda n: {"query_id": n, "query": "q", "relevant_moment": [moment(n), moment(0)]}
    >>> found = choose_samples([record(0), record(3)])
    >>> [(one["query_id"], [moment["grade"] for moment in one["moments"]]) for one in found]
    [(3, [3, 0]), (0, [0, 0])]
    """
    ranked = sorted(records, key=lambda record: (-len(_grades(record)), _lot(record)))
    return [
        {"query_id": record["query_id"], "query": record["query"], "moments": _spread(record["relevant_moment"])}
        for record in ranked[:QUERIES]
    ]


def _grades(record: Mapping[str, Any]) -> set[int]:
    return {moment["relevance"] for moment in record["relevant_moment"]}


def _lot(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(str(record["query_id"]).encode()).hexdigest()


def _spread(moments: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One moment of each grade in turn, from the highest, until there are enough; places in the file decide no tie."""
    by_grade = defaultdict(list)
    for moment in sorted(moments, key=lambda moment: (moment["video_name"], *moment["timestamp"])):
        by_grade[moment["relevance"]].append(moment)
    chosen: list[Mapping[str, Any]] = []
    while len(chosen) < MOMENTS and any(by_grade.values()):
        for grade in sorted(by_grade, reverse=True):
            if by_grade[grade] and len(chosen) < MOMENTS:
                chosen.append(by_grade[grade].pop(0))
    chosen.sort(key=lambda moment: -moment["relevance"])
    return [
        {
            "video_name": moment["video_name"],
            "start": moment["timestamp"][0],
            "end": moment["timestamp"][1],
            "grade": moment["relevance"],
        }
        for moment in chosen
    ]
