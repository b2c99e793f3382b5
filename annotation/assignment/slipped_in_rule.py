"""How much is slipped in with a seat, and where it stands among its pairs. Pure."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Look:
    """What an annotator notices of a sitting: how many pairs it has, how often they had `met` its query, and how long
    `ago`, as `noticed` says it."""

    size: int
    met: int
    ago: int


@dataclass(frozen=True, slots=True)
class OfferedGold:
    """Gold that an annotator may be given; `met` and `ago` as for a sitting."""

    pk: int
    pair: int
    public_id: str
    query: int
    met: int
    ago: int


def noticed(met: int, ago: float | None) -> tuple[int, int]:
    """How often a query was met, three times standing for more, and how long ago: steps of four times as many minutes.

    >>> noticed(0, None), noticed(1, 60), noticed(5, 86_400)
    ((0, 0), (1, 1), (3, 6))
    """
    return min(met, 3), 0 if ago is None else 1 + int(math.log(max(ago / 60, 1.0), 4))


def looks_like(offered: Sequence[OfferedGold], look: Look, *, lot: object) -> list[OfferedGold]:
    """Gold in the looks of a real sitting: as many pairs, of one query met as often and as long ago, drawn by `lot`.

    Empty where there is none: what is given instead would be likelier gold than a real sitting of its looks is.
    """
    by_query: dict[int, list[OfferedGold]] = {}
    for gold in offered:
        if (gold.met, gold.ago) == (look.met, look.ago):
            by_query.setdefault(gold.query, []).append(gold)
    queries = sorted(query for query, gold in by_query.items() if len(gold) >= look.size)
    if not queries:
        return []
    chosen = by_query[queries[int(dice(lot, "query") * len(queries))]]
    return sorted(chosen, key=lambda gold: dice(lot, gold.public_id))[: look.size]


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
