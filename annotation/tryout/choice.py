"""Which six decided pairs a tryout shows: all grades, many queries. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

PAIRS = 6


@dataclass(frozen=True, slots=True)
class Decided:
    """A decided pair: its grade, 0-4, its query, and the lot by which it is drawn."""

    pk: int
    query: int
    grade: int
    lot: str


def choose(pairs: Sequence[Decided]) -> list[Decided]:
    """Six of the pairs, in an order that says nothing about grades; none where there are fewer.

    One of each grade first, then whatever the lot says; a query comes twice only where there are too few.

    >>> few = [Decided(n, n % 4, n % 5, f"{n * 7 % 11}") for n in range(11)]
    >>> sorted(pair.grade for pair in choose(few))[:5], len(choose(few)), choose(few[:5])
    ([0, 0, 1, 2, 3], 6, [])
    """
    if len(pairs) < PAIRS:
        return []
    drawn = sorted(pairs, key=lambda pair: (pair.lot, pair.pk))
    chosen: list[Decided] = []
    for fresh_query, fresh_grade in ((True, True), (False, True), (True, False), (False, False)):
        for pair in drawn:
            if len(chosen) == PAIRS or pair in chosen:
                continue
            if fresh_query and any(pair.query == other.query for other in chosen):
                continue
            if fresh_grade and any(pair.grade == other.grade for other in chosen):
                continue
            chosen.append(pair)
    return sorted(chosen, key=lambda pair: (pair.lot[::-1], pair.pk))
