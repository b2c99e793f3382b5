"""What a run of the soak is to be: how long, by how many people, with which faults."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Plan:
    """How long a run is, and what befalls it. `short`: too short for what takes minutes."""

    judgments: int
    minutes: float | None
    each: int
    people: int
    seed: int
    every: int
    without: frozenset[str]
    short: bool

    @property
    def lasting(self) -> dict[str, Any]:
        """What is the same in all runs that go on with each other."""
        names = ("each", "people", "seed", "every", "short")
        return {**{name: getattr(self, name) for name in names}, "without": sorted(self.without)}
