"""Check that the paper's tables in a release's `tables/` say what its JSON files do."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

SIZES, LENGTHS = "size-of-the-splits.csv", "queries-moments-videos.csv"
SPLITS = {"Training": "train", "Validation": "val", "Test": "test"}
FILES = {"train": "train_top40.json", "val": "val.json", "test": "test.json"}
COUNTS = ("#Query", "#Moment", "#Video")
COLUMNS = ("", *COUNTS, "Vocab.", "#Verb", "M.Dur", "V.Dur")
KINDS = {"Min": "least", "Avg.": "mean", "Max": "most"}
LENGTH_ROWS = {"Query Length": "words", "Moment Duration (s)": "moment_seconds", "Video Duration (s)": "video_seconds"}
RATIO, RELEVANT = "Avg. Moment-Video Duration Ratio", "Avg. Relevant Moments per Query"


def check_tables(folder: Path, figures: Mapping[str, Any] | None) -> Iterator[str]:
    """What differs in Tables 1 and 4. Args: figures: as `Recount` has them; None: there is nothing to compare with."""
    sizes = {row[0]: dict(zip(COLUMNS, row, strict=True)) for row in _rows(folder / "tables" / SIZES, len(COLUMNS))}
    lengths = {row[0]: dict(zip(SPLITS, row[1:], strict=True)) for row in _rows(folder / "tables" / LENGTHS, 4)}
    for name, split in SPLITS.items():
        own = (figures or {"splits": {}})["splits"].get(split, {})
        if "extent" not in own:
            continue
        yield from _differing_sizes(name, sizes[name], own, FILES[split])
        for row, value, places in _lengths(own, split):
            if not _same(lengths[row][name], value, places):
                found = f"{name} has {lengths[row][name]!r} as {row}"
                yield f"tables/{LENGTHS}: {found}, but {value} follows from {FILES[split]}"


def _differing_sizes(name: str, row: Mapping[str, str], own: Mapping[str, Any], file: str) -> Iterator[str]:
    extent = own["extent"]
    stated = tuple(row[column] for column in COUNTS)
    counted = tuple(map(str, (own["queries"], extent["moments"], extent["videos"])))
    if stated != counted:
        yield f"tables/{SIZES}: {name} has {stated} queries, moments and videos, but {counted} in {file}"
    others = {"Vocab.": own["vocabulary"], "M.Dur": extent["moment_hours"], "V.Dur": extent["video_hours"]}
    for column, value in others.items():
        if not _same(row[column], value, 2):
            yield f"tables/{SIZES}: {name} has {row[column]!r} as {column}, but {value} follows from {file}"


def _lengths(own: Mapping[str, Any], split: str) -> Iterator[tuple[str, float | None, int]]:
    """The cells of Table 4 of a split: row, value, decimals."""
    for words, field in LENGTH_ROWS.items():
        spread = own[field] if field == "words" else own["extent"][field]
        for kind, name in KINDS.items():
            yield f"{kind} {words}", (spread or {}).get(name), 2
    yield RATIO, own["extent"]["moment_video_ratio"], 2
    if split != "train":
        relevant = own["relevant_per_query"]
        yield RELEVANT, relevant[min(relevant, key=int)], 1


def _same(cell: str, value: float | None, places: int) -> bool:
    if value is None or not cell:
        return (value is None) == (not cell)
    return abs(float(cell) - value) <= 0.501 * 0.1**places


def _rows(path: Path, columns: int) -> list[list[str]]:
    """The rows under the header. Raises: ValueError for rows of another length."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    if any(len(row) != columns for row in rows):
        raise ValueError(f"{path.name} has rows of {sorted({len(row) for row in rows})} columns, expected {columns}")
    return rows
