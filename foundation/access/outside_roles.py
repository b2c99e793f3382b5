"""Hooks: places outside collections that later rooms give an account, such as one in a campaign's team.

The home page lists them, and an account that has one isn't taken for unused.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from foundation.models import Account


@dataclass(frozen=True, slots=True)
class OutsideRole:
    """A place, as the home page shows it: what it is in, in which role, and its first page."""

    title: str
    role: str
    address: str


Find = Callable[[Account], list[OutsideRole]]
Tell = Callable[[Account], dict[str, Any]]
_finders: list[Find] = []
_tellers: list[Tell] = []


def register(find: Find, tell: Tell) -> None:
    """Called by a room's AppConfig.ready().

    Args:
        find: gives the account's places in that room.
        tell: what the room keeps about the person, by name, of JSON's types: a part of their own data.
    """
    if find not in _finders:
        _finders.append(find)
        _tellers.append(tell)


def told_of(account: Account) -> dict[str, Any]:
    """What the rooms that registered keep about the person, by name."""
    return {name: facts for tell in _tellers for name, facts in tell(account).items()}


def outside_roles_of(account: Account) -> list[OutsideRole]:
    """The account's places in all rooms that registered."""
    return [place for find in _finders for place in find(account)]
