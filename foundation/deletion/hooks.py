"""Hooks: later rooms say what a deleted collection loses, why it may not go, and what has to go besides its rows.

The rows themselves are found by the tables' foreign keys (`rows.py`), whatever room they are of.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from foundation.models import Collection


class Loss(NamedTuple):
    """What goes with a collection: how many, and what they are; `said` is an ngettext_lazy of `count`, by "number"."""

    count: int
    said: Any

    @property
    def words(self) -> str:
        return str(self.said % {"number": self.count, "count": f"{self.count:,}"})


_losses: list[Callable[[Collection], list[Loss]]] = []
_obstacles: list[Callable[[Collection], str]] = []
_warnings: list[Callable[[Collection], str]] = []
_sweeps: list[Callable[[list[int]], object]] = []
_files: list[Callable[[Collection], dict[str, Path]]] = []


def register(
    *,
    losses: Callable[[Collection], list[Loss]] | None = None,
    obstacle: Callable[[Collection], str] | None = None,
    warning: Callable[[Collection], str] | None = None,
    sweep: Callable[[list[int]], object] | None = None,
    files: Callable[[Collection], dict[str, Path]] | None = None,
) -> None:
    """Called by a room's AppConfig.ready().

    Args:
        losses: what the collection has, for its owner to read.
        obstacle: why it may not be deleted, in a sentence; empty if it may.
        warning: what its owner has to agree to besides, in a sentence; empty: nothing.
        sweep: removes what belongs to collections (ids) and hangs on them by no foreign key; called within the
            transaction, before their rows go.
        files: where what it has on the disk outside the storage lies, by names that differ.
    """
    hooks = ((losses, _losses), (obstacle, _obstacles), (warning, _warnings), (sweep, _sweeps), (files, _files))
    for one, where in hooks:
        if one is not None and one not in where:
            where.append(one)  # type: ignore[attr-defined]


def losses_of(collection: Collection) -> list[Loss]:
    """What goes with the collection; nothing that it has none of."""
    return [loss for found in _losses for loss in found(collection) if loss.count]


def obstacles_of(collection: Collection) -> list[str]:
    """Why it may not be deleted; empty if it may."""
    return [said for find in _obstacles if (said := find(collection))]


def warnings_of(collection: Collection) -> list[str]:
    """What its owner has to agree to besides."""
    return [said for find in _warnings if (said := find(collection))]


def sweep_all(collections: list[int]) -> None:
    """Remove what hangs on the collections by no foreign key."""
    for sweep in _sweeps:
        sweep(collections)


def files_of(collection: Collection) -> dict[str, Path]:
    """Where its files outside the storage lie, by names that differ."""
    return {name: path for find in _files for name, path in find(collection).items()}
