"""The interface of a publishing target, and the plan for each file."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from datasets.models import Release
from foundation.refused import Refused

MANIFEST = "manifest.json"


class InTheWay(Refused):
    """Other files are where some of the release's would go, and replacing wasn't confirmed. Nothing was sent."""


@dataclass(frozen=True, slots=True)
class Item:
    """A file to publish: its path in the release, where it goes below the target, its hash and size."""

    path: str
    goes_to: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Planned:
    """What would happen to a file: state is "new", "same" (nothing) or "differs"."""

    item: Item
    address: str
    state: str


class Target(Protocol):
    """A place that releases are published to."""

    outcome: dict[str, Any] = {}
    """What the place says of a record that it made: `doi`, `address`, `published`; `concept_doi`, which all versions
    share, and `version_of`, the address of the version before, where there are; {} where there are no records."""

    def arranged(self, release: Release, items: list[Item], format_name: str) -> list[Item]:
        """The files as this place takes them. Raises: Refused where it can't take one format alone."""
        return items

    def refuse_unready(self) -> None:
        """Raises: Refused if the server can't publish there, saying what is missing, such as an account."""

    def address(self, item: Item) -> str:
        """A file's address at the target, for people."""

    def states(self, items: list[Item], release: Release) -> dict[str, str]:
        """`goes_to` -> "new", "same" or "differs". Changes nothing. Raises: Refused."""

    def send(self, items: list[Item], folder: Path, release: Release, arrived: Callable[[Item], None]) -> None:
        """Send files, which lie in `folder` under their `path`. Raises: Refused."""

    def finish(self, release: Release) -> None:
        """Finish once all files are there, where there is anything left to do; safe to repeat. Raises: Refused."""
        return
