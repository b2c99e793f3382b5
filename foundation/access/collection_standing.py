"""What a later room says of a collection on the home page: how far it is, and what needs its lead first."""

from collections.abc import Callable
from dataclasses import dataclass

from foundation.models import Collection


@dataclass(frozen=True, slots=True)
class Standing:
    """Of one collection.

    Args:
        state: in a word or two; `look` is the class of its pill.
        need: what needs the lead first, "" where nothing does; `address` is the page where that is done.
    """

    state: str
    look: str
    need: str = ""
    address: str = ""


_tell: list[Callable[[Collection], Standing]] = []


def register(tell: Callable[[Collection], Standing]) -> None:
    """Called by a room's AppConfig.ready()."""
    _tell[:] = [tell]


def standing_of(collection: Collection) -> Standing | None:
    """As the room that knows tells it; None where none is registered."""
    return _tell[0](collection) if _tell else None
