"""What a demo collection is made of."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class DemoPlan:
    """A demo collection to build: short name, title, number of queries and of videos, and whether these are `small`."""

    name: str
    title: str
    val: int
    test: int
    seed: int
    videos: int = 40
    small: bool = False
    tvr: Path | None = None


THEATRE = DemoPlan("theatre", "Paper theatre", val=6, test=12, seed=7)
"""The demo's collection."""
