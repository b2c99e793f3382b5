"""DiDeMo's files: descriptions with times in segments of five seconds.

Source: LisaAnne/LocalizingMoments, data/README and utils/eval.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from ..outlets.outlet import Left, LeftOut, Wanted, write_json
from ..outlets.release import Release
from ..releases.queries import Moment, Query

NAME = "didemo"
READ_BY = "LocalizingMoments' eval.py and other readers of DiDeMo"
LOSES = (
    "one description a query and relevant moment, numbered by annotation_id (query_id says whose it is), with the "
    "consensus alone as times, in segments of 5 s; `seconds` has the moment's own"
)
SEGMENT = 5.0
"""Seconds."""


def write(release: Release, wanted: Wanted, folder: Path) -> list[Left]:
    """train_data.json, val_data.json and test_data.json."""
    out, numbers = LeftOut(wanted.relevant), count()
    for split, queries in release.splits():
        write_json(folder / f"{split}_data.json", list(_records(map(out.relevant, queries), release, numbers)))
    return out.told()


def _records(queries: Iterable[Query], release: Release, numbers: Iterator[int]) -> Iterator[dict[str, Any]]:
    for query in queries:
        for moment in query.moments:
            yield {
                "annotation_id": next(numbers),
                "video": moment.video_name,
                "description": query.text,
                "times": [segments(moment)],
                "num_segments": math.ceil(release.durations[moment.video_name] / SEGMENT),
                "query_id": query.query_id,
                "pair_id": moment.pair_id,
                "relevance": moment.grade,
                "seconds": [moment.start, moment.end],
            }


def segments(moment: Moment) -> list[int]:
    """The first and the last segment that a moment touches, from 0.

    >>> segments(Moment("v", 4.5, 10, 4, "", ""))
    [0, 1]
    """
    return [int(moment.start // SEGMENT), math.ceil(moment.end / SEGMENT) - 1]
