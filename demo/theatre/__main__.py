"""A worker process of the theatre: draws the films whose numbers it reads from standard input."""

import contextlib
import os
import sys
from pathlib import Path

from . import paper
from .script import write_films
from .workshop import film_path, film_stamp

GIVES_WAY = 10
"""Niceness: whatever else the demo computes meanwhile is waited for by somebody."""


def serve(folder: Path, seed: int, videos: int, *, small: bool) -> None:
    if small:
        paper.draw_small()
    from .film import shoot

    films = write_films(videos, seed)
    for line in sys.stdin:
        film = films[int(line)]
        shoot(film, film_path(folder, film), film_stamp(film, seed, small=small))
        print(f"made {film.number}", flush=True)


if __name__ == "__main__":
    os.nice(GIVES_WAY)
    with contextlib.suppress(KeyboardInterrupt):  # whoever interrupts the workshop hears it there
        serve(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), small="small" in sys.argv[4:])
