"""One worker's id twice at a pair: what the rule makes of it under each policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from ..arrays import BoolArray, IntArray
from ..judgments.consensus import PAPER, Rule, decide
from ..judgments.grade_classes import class_count, class_of
from ..reading.judgments import Judgments

Policy = Literal["as-published", "first", "last", "left-out"]
POLICIES: dict[Policy, str] = {
    "as-published": "all judgments count",
    "first": "only an id's first judgment of a pair counts",
    "last": "only an id's last judgment of a pair counts",
    "left-out": "a pair with a repeated id isn't decided",
}
MOST_CODES = 2**62


@dataclass(frozen=True, slots=True)
class Decided:
    """What the rule makes of each pair. `grades`: P grades, None where it has none; `states`: graded, discarded, open
    or left-out."""

    grades: tuple[int | None, ...]
    states: tuple[str, ...]

    def count(self, state: str) -> int:
        """How many pairs are in a state."""
        return self.states.count(state)

    def by_grade(self, top_grade: int) -> list[int]:
        """How many pairs have each grade, from 0 on; of a scale of 0-100, each class of grades."""
        known = Counter(class_of(grade, top_grade) for grade in self.grades if grade is not None)
        return [known[place] for place in range(class_count(top_grade))]

    def differing(self, other: Decided) -> int:
        """How many pairs have another grade there, or none."""
        return sum(own != theirs for own, theirs in zip(self.grades, other.grades, strict=True))


def decided(judgments: Judgments, policy: Policy = "as-published", rule: Rule = PAPER) -> Decided:
    """Apply the rule to each pair's judgments, in the file's order.

    A pair is decided by both rounds if the file has as many judgments of it, though the first round may have agreed,
    as TVR-Ranking's published grades are; else by its first round. Where these are too few, or the second round is
    missing, it is open. Judgments beyond both rounds aren't looked at.
    """
    first = first_grades(judgments, max(rule.first_round, rule.both_rounds), _counting(judgments, policy))
    rows, place = alike(first)
    known = [decided_row([grade for grade in row if grade >= 0], rule) for row in rows]
    each = [known[row] for row in place.tolist()]
    if policy == "left-out":
        repeated = pairs_with_a_repeated_id(judgments).tolist()
        each = [("left-out", None) if twice else one for one, twice in zip(each, repeated, strict=True)]
    return Decided(tuple(grade for _, grade in each), tuple(state for state, _ in each))


def first_grades(judgments: Judgments, most: int, chosen: IntArray | None = None) -> IntArray:
    """The first grades of each pair in the file's order, -1 where it has fewer: shape (P, most).

    Args: chosen: places of the judgments that count; by default all do.
    """
    places = np.arange(len(judgments)) if chosen is None else chosen
    pair = judgments.pair[places]
    order = np.argsort(pair, kind="stable")
    sizes = np.bincount(pair, minlength=len(judgments.pair_ids))
    nth = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    order, nth = order[nth < most], nth[nth < most]
    table = np.full((len(sizes), most), -1, dtype=np.int64)
    table[pair[order], nth] = judgments.grade[places[order]]
    return table


def alike(first: IntArray) -> tuple[list[list[int]], IntArray]:
    """The different rows of grades that pairs have, and which of them each pair has: shape (P,)."""
    base = int(first.max(initial=0)) + 2
    if base ** first.shape[1] > MOST_CODES:
        rows, place = np.unique(first, axis=0, return_inverse=True)
        return rows.tolist(), place.ravel()
    # One number a row: to sort these is ten times as fast.
    codes = (first + 1) @ base ** np.arange(first.shape[1])
    _, at, place = np.unique(codes, return_index=True, return_inverse=True)
    return first[at].tolist(), place


def decided_row(grades: Sequence[int], rule: Rule = PAPER) -> tuple[str, int | None]:
    """The state and grade of one pair's grades, as `decided` says.

    >>> decided_row([0, 0, 1, 1]), decided_row([0, 2])
    (('graded', 1), ('open', None))
    """
    for people in (rule.both_rounds, rule.first_round):
        if len(grades) >= people:
            decision = decide(grades[:people], rule)
            return {"consensus": "graded", "escalate": "open"}.get(decision.status, "discarded"), decision.grade
    return "open", None


def order_of_judging(grades: Sequence[int], rule: Rule = PAPER) -> tuple[int, ...]:
    """The places of a pair's grades in an order by which `state_of` decides it as `decided` does.

    A file's order needn't be that of judging: 9,662 of the published pairs have four judgments though the first two
    agree. First comes the earliest first round whose grades differ by more than the rule allows; where none does, the
    earliest that has the grade of all. Judgments that `decided` doesn't look at are left out.

    >>> order_of_judging([2, 2, 0, 4]), order_of_judging([0, 0, 1, 1]), order_of_judging([3, 3, 1])
    ((0, 2, 1, 3), (0, 2, 1, 3), (0, 1))
    """

    def state(first: Sequence[int]) -> tuple[str, int | None]:
        decision = decide([grades[place] for place in first], rule)
        return decision.status, decision.grade

    everybody = range(min(len(grades), rule.both_rounds))
    if len(everybody) < rule.both_rounds:
        enough = len(everybody) > rule.first_round and state(everybody[: rule.first_round])[0] != "escalate"
        return tuple(everybody[: rule.first_round] if enough else everybody)
    rounds = {first: state(first) for first in combinations(everybody, rule.first_round)}
    disputed = [first for first, (status, _) in rounds.items() if status == "escalate"]
    of_all = [first for first, found in rounds.items() if found == state(everybody)]
    first = next(iter(disputed or of_all), tuple(everybody))
    return (*first, *(place for place in everybody if place not in first))


def repeats(judgments: Judgments) -> tuple[BoolArray, BoolArray]:
    """Which judgments aren't the first, and which aren't the last, of their worker at their pair: shape (J,) each."""
    key = judgments.pair * len(judgments.workers) + judgments.worker
    _, first = np.unique(key, return_index=True)
    _, last = np.unique(key[::-1], return_index=True)
    again, before = np.ones((2, len(key)), dtype=bool)
    again[first] = False
    before[len(key) - 1 - last] = False
    return again, before


def pairs_with_a_repeated_id(judgments: Judgments) -> BoolArray:
    """Which pairs have two judgments or more by one id: shape (P,)."""
    repeated = np.zeros(len(judgments.pair_ids), dtype=bool)
    repeated[judgments.pair[repeats(judgments)[0]]] = True
    return repeated


def _counting(judgments: Judgments, policy: Policy) -> IntArray | None:
    again, before = repeats(judgments)
    if policy == "first":
        return np.flatnonzero(~again)
    return np.flatnonzero(~before) if policy == "last" else None
