"""Hooks that run when a person is erased, so that rooms which keep copies elsewhere know whom to erase there, too.

A room registers its step when Django starts (`AppConfig.ready`).
"""

from collections.abc import Callable

Step = Callable[[int, int | None], object]

_steps: list[Step] = []


def register(step: Step) -> None:
    """Called by a room's AppConfig.ready(): `step(account, member)` runs in the transaction that erases, with primary
    keys; `member` is None where the whole account goes, otherwise the place that is parted from it."""
    if step not in _steps:
        _steps.append(step)


def note_erasure(account: int, member: int | None = None) -> None:
    """Tell every room that registered."""
    for step in _steps:
        step(account, member)
