"""How much is slipped in with a seat, and where it stands among its pairs. Pure."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def dice(*what: object) -> float:
    """A pseudo-random number in [0, 1) that depends on the arguments alone and reveals nothing about them."""
    digest = hashlib.sha256(":".join(map(str, what)).encode()).digest()
    return int.from_bytes(digest[:6]) / 2**48


def due_in(share: float, pairs: int, chance: float) -> int:
    """How many go with so many pairs: on average `share` of them.

    Args: chance: a number from 0 to below 1, for the part that isn't whole.

    >>> due_in(0.05, 20, 0.9), due_in(0.06, 20, 0.1), due_in(0.06, 20, 0.3)
    (1, 2, 1)
    """
    expected = share * pairs
    whole = int(expected)
    return whole + (chance < expected - whole)


def placed_among(tasks: Sequence[tuple[int, T]], slipped_in: Sequence[tuple[int | None, T]]) -> list[T]:
    """The tasks, each with its batch, and what is slipped in before the first task of the batch it names, or in front.

    >>> placed_among([(1, "a"), (1, "b"), (2, "c")], [(2, "again"), (None, "first")])
    ['first', 'a', 'b', 'again', 'c']
    """
    batches = [batch for batch, _ in tasks]
    placed = [one for batch, one in slipped_in if batch not in batches]
    for place, (batch, task) in enumerate(tasks):
        if place == batches.index(batch):
            placed += [one for wanted, one in slipped_in if wanted == batch]
        placed.append(task)
    return placed
