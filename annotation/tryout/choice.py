"""Which six decided pairs a tryout shows: all grades, many queries. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

PAIRS = 6


@dataclass(frozen=True, slots=True)
class Decided:
    """A decided pair: its query, its moment, its grade, 0-4, and the lot by which it is drawn."""

    pk: int
    query: int
    moment: int
    grade: int
    lot: str


def choose(pairs: Sequence[Decided]) -> list[Decided]:
    """Six of the pairs, in an order that says nothing about grades; none where there are fewer.

    One of each grade first, then whatever the lot says; a query or a moment comes twice only where there are too few.

    >>> few = [Decided(n, n % 4, n % 7, n % 5, f"{n * 7 % 11}") for n in range(11)]
    >>> len(choose(few)), sorted({pair.grade for pair in choose(few)}), choose(few[:5])
    (6, [0, 1, 2, 3, 4], [])
    >>> len({pair.moment for pair in choose(few)})
    6
    """
    if len(pairs) < PAIRS:
        return []
    drawn = sorted(pairs, key=lambda pair: (pair.lot, pair.pk))
    chosen: list[Decided] = []
    for fresh in (("query", "moment", "grade"), ("moment", "grade"), ("query", "moment"), ("moment",), ()):
        for pair in drawn:
            if len(chosen) == PAIRS or pair in chosen:
                continue
            if any(getattr(pair, field) == getattr(other, field) for field in fresh for other in chosen):
                continue
            chosen.append(pair)
    return sorted(chosen, key=lambda pair: (pair.lot[::-1], pair.pk))
