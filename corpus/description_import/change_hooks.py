"""Hooks by which later rooms block a description's change, or follow it.

A room registers its keeper when Django starts (`AppConfig.ready`), so that the corpus needn't know who builds on it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from foundation.models import Collection


@dataclass(frozen=True, slots=True)
class DescriptionsChanged:
    """Descriptions of a collection that an import has changed; `reworded` are those with another text."""

    collection: Collection
    descriptions: Sequence[int]
    reworded: Sequence[int]


class Keeper(Protocol):
    """A room that builds on descriptions."""

    def held(self, collection: Collection, descriptions: Sequence[int]) -> dict[int, str]:
        """The descriptions (ids) among these that may not change, each with the reason."""
        ...

    def cost(self, descriptions: Sequence[int]) -> list[str]:
        """What is lost with the descriptions (ids), each in a few words: "3 captions"."""
        ...

    def changed(self, change: DescriptionsChanged) -> None:
        """Delete what was derived from changed descriptions, within the transaction that changes them."""
        ...


_keepers: list[Keeper] = []


def register_keeper(keeper: Keeper) -> None:
    """Register a room's keeper. Repeating it changes nothing."""
    if type(keeper) not in map(type, _keepers):
        _keepers.append(keeper)


def held_descriptions(collection: Collection, descriptions: Sequence[int]) -> dict[int, str]:
    """The descriptions (ids) among these that some room holds, each with the first reason."""
    held: dict[int, str] = {}
    for keeper in _keepers:
        held = keeper.held(collection, descriptions) | held
    return held


def cost_of(descriptions: Sequence[int]) -> list[str]:
    """What every room loses with the descriptions (ids)."""
    return [loss for keeper in _keepers for loss in keeper.cost(descriptions)]


def tell_changed(change: DescriptionsChanged) -> None:
    """Call every registered keeper, in the order of registration."""
    for keeper in _keepers:
        keeper.changed(change)


Follower = Callable[[Collection], object]
_followers: list[Follower] = []


def follow_imports(follower: Follower) -> None:
    """Register what is called after descriptions were imported by a job, once they are stored."""
    if follower not in _followers:
        _followers.append(follower)


def tell_imported(collection: Collection) -> None:
    """Call every registered follower."""
    for follower in _followers:
        follower(collection)
