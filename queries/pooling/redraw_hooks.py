"""Reasons of rooms to the right against another draw of queries."""

from collections.abc import Callable

from foundation.models import Collection

Reason = Callable[[Collection], str]
_reasons: list[Reason] = []


def register(reason: Reason) -> None:
    """Called by a room's AppConfig.ready(): `reason` says why the queries stay, in a sentence; empty: they may go."""
    if reason not in _reasons:
        _reasons.append(reason)


def reason_to_stay(collection: Collection) -> str:
    """The first reason that a room has; empty: none."""
    return next(filter(None, (reason(collection) for reason in _reasons)), "")
