"""Hooks that run when somebody stops annotating a collection.

A room registers its step when Django starts (`AppConfig.ready`), so that this one needn't know where people have seats.
"""

from typing import Protocol

from foundation.models import Membership


class LeaveHook(Protocol):
    """What a room does then."""

    def __call__(self, *, member: Membership) -> object: ...


_steps: list[LeaveHook] = []


def register(step: LeaveHook) -> None:
    """Called by a room's AppConfig.ready(): `step(member=...)` runs in the transaction that takes the judging away."""
    if step not in _steps:
        _steps.append(step)


def stop_judging(member: Membership) -> None:
    """Have every room take back the work it had given the person."""
    for step in _steps:
        step(member=member)
