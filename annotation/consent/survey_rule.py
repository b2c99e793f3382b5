"""What may be told of people's answers without telling of any person: sums of at least five people, in fives."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

LEAST = 5
"""The fewest people of whom anything is told together."""
FEWEST = 2 * LEAST
"""The fewest people whose answers are summed up: of fewer nothing could be told."""


def told_of(counts: Mapping[str, int], people: int) -> dict[str, int]:
    """How many people gave each answer at least, and no word of the others.

    Each count is rounded down to a multiple of `LEAST`, and zeros are left out. Where fewer than `LEAST` people would
    then be left over, the smallest count told loses `LEAST` more, so that the rest, which whoever knows how many there
    are can subtract, is never a small cell either. What is told follows from the rounded counts alone: with the same
    people, any one count may be up to `LEAST` - 1 higher, and as many more may have answered. So each answer has at
    least `LEAST` possible counts for whoever knows `people` and this rule (the tests try all tables).

    Args:
        counts: answer -> people who gave it; each person gives one answer or none.
        people: all of them, those without an answer too.

    Returns: answer -> a multiple of `LEAST`, above 0; their sum is at most `people` - `LEAST`, or nothing is told.
    Raises: ValueError for counts below 0 or more answers than people.
    Source: the minimum frequency rule, and rounding to a base in place of suppressing second cells, of Hundepool and
        others, Statistical Disclosure Control (Wiley, 2012), chapter 5.
    """
    if any(count < 0 for count in counts.values()) or sum(counts.values()) > people:
        raise ValueError(f"found {dict(counts)} of {people} people, expected counts from 0 whose sum is at most that")
    told = {answer: count // LEAST * LEAST for answer, count in counts.items() if count >= LEAST}
    if told and people - sum(told.values()) < LEAST:
        smallest = min(told, key=lambda answer: (told[answer], answer))
        told[smallest] -= LEAST
    return {answer: count for answer, count in told.items() if count}


def added_up(sums: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Several sums as one: theirs added by answer. Nobody is in two, so it tells no more than they do.

    >>> added_up([{"a": 5}, {"b": 10, "a": 5}])
    {'a': 10, 'b': 10}
    """
    total: dict[str, int] = {}
    for told in sums:
        for answer, count in told.items():
            total[answer] = total.get(answer, 0) + count
    return total


def bands_of(bounds: Sequence[int]) -> list[str]:
    """The bands between rising bounds, in words for a list.

    >>> bands_of([18, 25, 65])
    ['<18', '18-24', '25-64', '65+']
    """
    if not bounds or list(bounds) != sorted(set(bounds)) or bounds[0] < 0:
        raise ValueError(f"found the bounds {list(bounds)}, expected rising whole numbers")
    between = [f"{low}" if high - low == 1 else f"{low}-{high - 1}" for low, high in pairwise(bounds)]
    return [f"<{bounds[0]}", *between, f"{bounds[-1]}+"]
