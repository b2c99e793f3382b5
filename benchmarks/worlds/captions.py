"""Any number of captions that read like real ones."""

import json
import random
from collections.abc import Iterator
from pathlib import Path


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
    dice, made = random.Random(seed), set[str]()
    while len(made) < captions:
        caption = f"{dice.choice(halves)[0]} {dice.choice(halves)[1]}"
        if caption not in made:
            made.add(caption)
            yield caption


def _halves(description: str) -> tuple[str, str]:
    words = description.split()
    middle = (len(words) + 1) // 2
    return " ".join(words[:middle]), " ".join(words[middle:])
