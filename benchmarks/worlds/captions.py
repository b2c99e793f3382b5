"""Any number of captions that read like real ones."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("QREELS_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


def tvr_rows() -> list[dict[str, Any]]:
    """The rows of TVR's descriptions in `QREELS_DATA`, or in `../shared/data` beside the checkout; empty without it."""
    file = DATA / "tvr" / "tvr_val_part.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def joined_captions(path: Path, captions: int, seed: int) -> Iterator[str]:
    """Distinct sentences, each the first half of one description of a TVR file and the second of another: their words,
    lengths and turns are real, though not every sentence makes sense.

    Raises: ValueError if the file has too few descriptions for so many.
    """
    with path.open(encoding="utf-8") as file:
        halves = [_halves(json.loads(line)["desc"]) for line in file]
    if len(halves) ** 2 < 4 * captions:
        raise ValueError(
            f"{path}: found {len(halves):,} descriptions, too few for {captions:,} sentences of two halves"
        )
    dice, earlier = random.Random(seed), set[str]()
    while len(earlier) < captions:
        caption = f"{dice.choice(halves)[0]} {dice.choice(halves)[1]}"
        if caption not in earlier:
            earlier.add(caption)
            yield caption


def _halves(description: str) -> tuple[str, str]:
    words = description.split()
    middle = (len(words) + 1) // 2
    return " ".join(words[:middle]), " ".join(words[middle:])
