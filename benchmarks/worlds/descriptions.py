"""Description files of any size, in TVR's format."""

import json
import random
from pathlib import Path

WORDS = "she he opens closes a the door window hands over gives takes red book cup slowly and then turns away".split()


def write_descriptions(path: Path, *, videos: int, rows: int, second: int = 0, seed: int = 1) -> None:
    """Write `rows` rows in the order of their ids, over `videos` videos in turn.

    Args:
        second: every so many rows the stretch is that of the row before; 0: never.
        seed: with another one all texts are others.
    """
    dice = random.Random(seed)
    with path.open("w") as file:
        start = 0.0
        for number in range(rows):
            if not second or number % second:
                start = round(dice.uniform(0, 55), 2)
            row = {
                "vid_name": f"show_s{number % videos:05d}_seg02_clip_19",
                "duration": 61.46,
                "ts": [start, round(start + dice.uniform(1, 6), 2)],
                "desc": " ".join(dice.choices(WORDS, k=13)) + f" {number}.",
                "type": dice.choice(("v", "v", "v", "vt", "t")),
                "desc_id": 90_000 + number,
            }
            file.write(json.dumps(row) + "\n")
