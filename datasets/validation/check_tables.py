"""Check that the sizes in a release's `tables/` are those of its JSON files."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from datasets.validation.spilled import Spilled
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
    """Queries, distinct moments and distinct videos, in a memory that doesn't grow with them.

    Raises: ValueError, TypeError for times that are no numbers.
    """
    queries, moments, videos = 0, Spilled(), Spilled()
    for query in read_records(path):
        queries += 1
        for one in query["relevant_moment"]:
            video, (start, end) = one["video_name"], one["timestamp"]
            moment = _key(video, start, end)
            if moment not in moments:
                moments[moment] = videos[video] = None
    return queries, len(moments), len(videos)


def _key(video: str, start: float, end: float) -> str:
    try:
        # 5 and 5.0 are one place, and so are -0.0 and 0.0.
        return f"{video}\n{start + 0.0!r}\n{end + 0.0!r}"
    except OverflowError as error:
        raise ValueError(f"found a moment of {video} at a time that is no number of seconds") from error
