"""Check that the sizes in a release's `tables/` are those of its JSON files."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from datasets.validation.untrusted_files import read_records

SIZES = "size-of-the-splits.csv"
DEEPEST = 40
"""The training file whose moments the table counts."""


def check_tables(folder: Path, manifest: dict[str, Any]) -> Iterator[str]:
    """What differs: queries, distinct moments and distinct videos of each split whose JSON file is there."""
    with (folder / "tables" / SIZES).open(encoding="utf-8", newline="") as file:
        rows = {row[""]: row for row in csv.DictReader(file)}
    if "tvr-ranking" not in manifest["formats"]:
        return
    files = {"Validation": "val.json", "Test": "test.json"}
    if DEEPEST in manifest["training_depths"]:
        files["Training"] = f"train_top{DEEPEST}.json"
    for split, name in files.items():
        stated = tuple(rows[split][column] for column in ("#Query", "#Moment", "#Video"))
        found = tuple(map(str, _sizes(folder / name)))
        if stated != found:
            yield f"tables/{SIZES}: {split} has {stated} queries, moments and videos, but {found} in {name}"


def _sizes(path: Path) -> tuple[int, int, int]:
    queries = 0
    moments: set[tuple[str, float, float]] = set()
    for query in read_records(path):
        queries += 1
        moments.update((one["video_name"], *one["timestamp"]) for one in query["relevant_moment"])
    return queries, len(moments), len({video for video, _, _ in moments})
