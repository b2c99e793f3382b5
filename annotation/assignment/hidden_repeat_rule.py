"""How many hidden repeats a seat gets, and where they stand among its pairs. Pure."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def dice(*what: object) -> float:
    """A pseudo-random number in [0, 1) that depends on the arguments alone and reveals nothing about them."""
    digest = hashlib.sha256(":".join(map(str, what)).encode()).digest()
    return int.from_bytes(digest[:6]) / 2**48


def repeats_due(share: float, pairs: int, chance: float) -> int:
    """How many repeats go with so many pairs: on average `share` of them.

    Args: chance: a number from 0 to below 1, for the part that isn't whole.

    >>> repeats_due(0.05, 20, 0.9), repeats_due(0.06, 20, 0.1), repeats_due(0.06, 20, 0.3)
    (1, 2, 1)
    """
    expected = share * pairs
    whole = int(expected)
    return whole + (chance < expected - whole)


def placed_among(tasks: Sequence[tuple[int, T]], repeats: Sequence[tuple[int | None, T]]) -> list[T]:
    """The tasks, each given with its batch, with the repeats before the first task of their batch, or else in front.

    >>> placed_among([(1, "a"), (1, "b"), (2, "c")], [(2, "again"), (None, "first")])
    ['first', 'a', 'b', 'again', 'c']
    """
    batches = [batch for batch, _ in tasks]
    placed = [repeat for batch, repeat in repeats if batch not in batches]
    for place, (batch, task) in enumerate(tasks):
        if place == batches.index(batch):
            placed += [repeat for wanted, repeat in repeats if wanted == batch]
        placed.append(task)
    return placed
