"""Pairs of a query and a moment: those of a release, or of a CSV file such as Qreels gives for judging elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from baselines.errors import BaselineError
from baselines.reading.release import read_release
from evaluation.errors import Faults, InputError, shown
from evaluation.formats.system_names import SPLITS
from evaluation.reading.csv_rows import csv_rows
from evaluation.reading.fields import interval, list_of, name, text_id
from evaluation.reading.json_stream import json_items, lines_of

COLUMNS = ("pair_id", "query", "video_name", "start", "end")


class Pair(NamedTuple):
    """A pair; `start` and `end` in seconds of its video."""

    pair_id: str
    query: str
    video_name: str
    start: float
    end: float


def read_pairs(path: Path) -> list[Pair]:
    """All pairs of a release's folder (val.json, test.json) or of a CSV file with the columns `COLUMNS`.

    Raises: BaselineError where there is neither or no pair; InputError naming the first faults, a pair twice is one.
    """
    faults = Faults()
    pairs = list(_of_release(path) if path.is_dir() else _of_csv(path, faults))
    faults.raise_any()
    if not pairs:
        raise BaselineError(f"{path}: found no pair, expected a release's folder, or CSV of {', '.join(COLUMNS)}")
    return pairs


def _of_release(folder: Path) -> Iterator[Pair]:
    release = read_release(folder)
    for path in (release.folder / f"{split}.json" for split in SPLITS):
        for place, record in json_items(path) if path.is_file() else ():
            query = name(path, place, record, "query")
            for number, moment in enumerate(list_of(path, place, record, "relevant_moment"), start=1):
                own = f"{place}, moment {number}"
                video = name(path, own, moment, "video_name")
                yield Pair(
                    text_id(path, own, moment, "pair_id"), query, video, *interval(path, own, moment.get("timestamp"))
                )


def _of_csv(path: Path, faults: Faults) -> Iterator[Pair]:
    if not path.is_file():
        raise BaselineError(f"{path}: found nothing, expected a release's folder or a CSV file of pairs")
    rows = csv_rows(path, lines_of(path), faults)
    _, head = next(rows, (1, []))
    missing = [column for column in COLUMNS if column not in head]
    if missing:
        raise InputError(path, "line 1", found=f"no column {missing[0]}", expected=f"columns {', '.join(COLUMNS)}")
    places = [head.index(column) for column in COLUMNS]
    lines: dict[str, int] = {}
    for line, cells in rows:
        pair_id, query, video, *written = (cells[place] for place in places)
        start, end = map(_seconds, written)
        if not (pair_id and query and video):
            faults.add(InputError(path, f"line {line}", found="an empty cell", expected=", ".join(COLUMNS)))
        elif not 0 <= start < end < math.inf:
            expected = "0 <= start < end in seconds"
            faults.add(InputError(path, f"line {line}", found=shown(written), expected=expected))
        elif pair_id in lines:
            found, expected = (
                f"pair_id {shown(pair_id)} a second time",
                f"each once; the first is in line {lines[pair_id]}",
            )
            faults.add(InputError(path, f"line {line}", found=found, expected=expected))
        else:
            lines[pair_id] = line
            yield Pair(pair_id, query, video, start, end)


def _seconds(written: str) -> float:
    try:
        return float(written)
    except ValueError:
        return math.nan
