"""Raw judgments: one row per judgment, as a release carries them."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation.arrays import IntArray
from evaluation.errors import InputError, shown
from evaluation.reading.fields import interval
from evaluation.reading.json_stream import open_text
from evaluation.reading.sniffing import looks_like

NEEDED = ("pair_id", "query_id", "video_name", "timestamp", "relevance")


@dataclass(frozen=True, eq=False)
class RawJudgments:
    """All counted judgments, by pair.

    Attributes (P pairs): moments: ``(query_id, video_name, start, end)`` of each pair. pair_ids: P
    ids. grades: shape (P, most judgments a pair has), -1 past its end. count: shape (P,).
    """

    pair_ids: tuple[str, ...]
    moments: tuple[tuple[str, str, float, float], ...]
    grades: IntArray
    count: IntArray


def read_raw_annotations(path: Path | str) -> RawJudgments:
    """Read ``raw_annotations.csv`` (or ``raw_annotation.csv``), discarded pairs included.

    Needed columns: pair_id, query_id, video_name, timestamp (a JSON list), relevance (0-4).
    Raises: InputError naming line, what was found and expected; a pair needs two judgments.
    """
    path = Path(path)
    moments: dict[str, tuple[str, str, float, float]] = {}
    judged: dict[str, list[int]] = {}
    with open_text(path) as file:
        rows = csv.DictReader(file)
        missing = [column for column in NEEDED if column not in (rows.fieldnames or ())]
        if missing:
            found = f"no column {', '.join(missing)} in {looks_like(','.join(rows.fieldnames or ()))}"
            raise InputError(path, "line 1", found=found, expected=", ".join(NEEDED))
        try:
            for row in rows:
                place = f"line {rows.line_num}"
                if any(row[column] is None for column in NEEDED):
                    raise InputError(path, place, found="too few columns", expected=", ".join(NEEDED))
                if row["relevance"] not in ("0", "1", "2", "3", "4"):
                    raise InputError(
                        path, place, found=f"relevance {shown(row['relevance'])}", expected="0, 1, 2, 3 or 4"
                    )
                moment = (row["query_id"], row["video_name"], *_times(path, place, row["timestamp"]))
                if moments.setdefault(row["pair_id"], moment) != moment:
                    raise InputError(
                        path,
                        place,
                        found=f"pair_id {row['pair_id']} with another moment than above",
                        expected="one moment a pair",
                    )
                judged.setdefault(row["pair_id"], []).append(int(row["relevance"]))
        except (UnicodeDecodeError, csv.Error) as error:
            raise InputError(path, f"line {rows.line_num}", found=str(error), expected="a CSV file") from error
    lonely = next((pair_id for pair_id, grades in judged.items() if len(grades) < 2), None)
    if lonely is not None or not judged:
        found = f"pair_id {lonely} with one judgment" if judged else "no judgment"
        raise InputError(path, "", found=found, expected="two judgments or more a pair")
    grades = np.full((len(judged), max(map(len, judged.values()))), -1, dtype=np.int64)
    for row_number, own in enumerate(judged.values()):
        grades[row_number, : len(own)] = own
    count = (grades >= 0).sum(axis=1).astype(np.int64)
    return RawJudgments(tuple(judged), tuple(moments.values()), grades, count)


def _times(path: Path, place: str, text: str) -> tuple[float, float]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = text
    return interval(path, place, value)
