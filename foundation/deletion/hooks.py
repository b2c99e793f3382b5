"""Hooks: later rooms say what a deleted collection loses, why it may not go, and what has to go besides its rows.

The rows themselves are found by the tables' foreign keys (`rows.py`), whatever room they are of.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from foundation.lazy import LazyStr
from foundation.models import Collection


@dataclass(frozen=True, slots=True)
class Loss:
    """What goes with a collection: how many, and what they are; `noun` is an ngettext_lazy of `count`, by "number"."""

    count: int
    noun: LazyStr

    @property
    def words(self) -> str:
        return str(self.noun % {"number": self.count, "count": f"{self.count:,}"})


@dataclass(frozen=True, slots=True)
class Hooks:
    """What a room has to say about a deletion.

    Args:
        losses: what the collection has, for its owner to read.
        obstacle: why it may not be deleted, in a sentence; empty if it may.
        warning: what its owner has to agree to besides, in a sentence; empty: nothing.
        sweep: removes what belongs to collections (ids) and hangs on them by no foreign key; called within the
            transaction, before their rows go.
        files: where what it has on the disk outside the storage lies, by names that differ.
    """

    losses: Callable[[Collection], list[Loss]] = lambda collection: []
    obstacle: Callable[[Collection], str] = lambda collection: ""
    warning: Callable[[Collection], str] = lambda collection: ""
    sweep: Callable[[list[int]], object] = lambda collections: None
    files: Callable[[Collection], dict[str, Path]] = lambda collection: {}


_rooms: list[Hooks] = []


def register(hooks: Hooks) -> None:
    """Called by a room's AppConfig.ready()."""
    if hooks not in _rooms:
        _rooms.append(hooks)


def losses_of(collection: Collection) -> list[Loss]:
    """What goes with the collection; nothing that it has none of."""
    return [loss for room in _rooms for loss in room.losses(collection) if loss.count]


def obstacles_of(collection: Collection) -> list[str]:
    """Why it may not be deleted; empty if it may."""
    return [sentence for room in _rooms if (sentence := room.obstacle(collection))]


def warnings_of(collection: Collection) -> list[str]:
    """What its owner has to agree to besides."""
    return [sentence for room in _rooms if (sentence := room.warning(collection))]


def sweep_all(collections: list[int]) -> None:
    """Remove what hangs on the collections by no foreign key."""
    for room in _rooms:
        room.sweep(collections)


def files_of(collection: Collection) -> dict[str, Path]:
    """Where its files outside the storage lie, by names that differ."""
    return {name: path for room in _rooms for name, path in room.files(collection).items()}
