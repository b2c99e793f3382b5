"""Check that the sizes in a release's `tables/` are those of its JSON files."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .spilled import Spilled
from .untrusted_files import place_key, read_records

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
        counted = tuple(map(str, _sizes(folder / name)))
        if stated != counted:
            yield f"tables/{SIZES}: {split} has {stated} queries, moments and videos, but {counted} in {name}"


def _sizes(path: Path) -> tuple[int, int, int]:
    """Queries, distinct moments and distinct videos, in a memory that doesn't grow with them.

    Raises: ValueError, TypeError for times that are no numbers.
    """
    queries, moments, videos = 0, Spilled(), Spilled()
    for query in read_records(path):
        queries += 1
        for moment in query["relevant_moment"]:
            video, (start, end) = moment["video_name"], moment["timestamp"]
            place = place_key(video, start, end)
            if place not in moments:
                moments[place] = videos[video] = None
    return queries, len(moments), len(videos)
