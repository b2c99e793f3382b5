"""How a sample is drawn: permanent random numbers, bands of ranks, and how many of each stratum. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from hashlib import sha256


def permanent_number(seed: int, *names: object) -> float:
    """A unit's random number, in [0, 1): the first 53 bits of the SHA-256 of the seed and its public names.

    The same unit has the same number whenever and wherever it is drawn: of a stratum those with the lowest are drawn.
    Source: Ohlsson, Coordination of samples using permanent random numbers (1995).

    >>> round(permanent_number(7, "q1"), 6), permanent_number(7, "q1") == permanent_number(7, "q2")
    (0.076388, False)
    """
    digest = sha256("\n".join(map(str, (seed, *names))).encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def band(rank: int, last: Sequence[int]) -> tuple[int, str]:
    """A rank's band, from 0 on, and its name; `last` has the last rank of each band but the last one.

    >>> band(5, [5, 10]), band(6, [5, 10]), band(11, [5, 10])
    ((0, 'ranks 1-5'), (1, 'ranks 6-10'), (2, 'ranks 11-'))
    """
    place = bisect_left(last, rank)
    first = last[place - 1] + 1 if place else 1
    return place, f"ranks {first}-{last[place] if place < len(last) else ''}"


def shares(number: int, sizes: Sequence[int]) -> list[int]:
    """So many units in all, shared over strata of these sizes in proportion: the largest remainders get what is left
    over, and each stratum has one at least.

    Args: number: at least as many as there are strata, at most their sum.

    >>> shares(5, [10, 30, 10]), shares(3, [1, 100, 1])
    ([1, 3, 1], [1, 1, 1])
    """
    total = sum(sizes)
    given = [min(size, max(1, number * size // total)) for size in sizes]
    while sum(given) != number:
        more = sum(given) < number
        room = [place for place, size in enumerate(sizes) if (given[place] < size if more else given[place] > 1)]
        off = {place: number * sizes[place] / total - given[place] for place in room}
        place = max(room, key=lambda place: off[place]) if more else min(room, key=lambda place: off[place])
        given[place] += 1 if more else -1
    return given
