"""Any number of captions that read like real ones."""

import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path


def joined_captions(path: Path, seed: int) -> Iterator[str]:
    """Distinct sentences without end, each the first half of one description of a TVR file and the second of another:
    their words, lengths and turns are real, though not every sentence makes sense."""
    with path.open(encoding="utf-8") as file:
        halves = [_halves(json.loads(line)["desc"]) for line in file]
    dice, made = random.Random(seed), set[str]()
    for _ in itertools.count():
        caption = f"{dice.choice(halves)[0]} {dice.choice(halves)[1]}"
        if caption not in made:
            made.add(caption)
            yield caption


def _halves(description: str) -> tuple[str, str]:
    words = description.split()
    middle = (len(words) + 1) // 2
    return " ".join(words[:middle]), " ".join(words[middle:])
