"""The consensus rule, held against an oracle written another way."""

import itertools
from collections import Counter
from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.consensus import decide


def oracle(grades: tuple[int, ...]) -> tuple[str, int | None]:
    """Rule 6 by counting: take grades out of a bag, then average exactly."""
    bag = Counter(grades)
    if len(grades) == 4:
        for extreme in (max(bag), min(bag)):
            bag[extreme] -= 1
            bag += Counter()
    left = list(bag.elements())
    spread = max(left) - min(left)
    if spread in (0, 1):
        return "consensus", ceil(Fraction(sum(left), 2))
    return ("escalate" if len(grades) == 2 else "discarded"), None


ALL = [*itertools.product(range(5), repeat=2), *itertools.product(range(5), repeat=4)]


def test_there_are_25_and_625_combinations() -> None:
    assert len(ALL) == 5**2 + 5**4


@pytest.mark.parametrize("grades", ALL, ids=lambda grades: "".join(map(str, grades)))
def test_every_combination_is_decided_as_the_rule_says(grades: tuple[int, ...]) -> None:
    decision = decide(grades)
    assert (decision.status, decision.grade) == oracle(grades)


@given(st.lists(st.integers(0, 4), min_size=4, max_size=4), st.randoms())
def test_the_order_of_the_grades_does_not_matter(grades: list[int], dice: Any) -> None:
    shuffled = list(grades)
    dice.shuffle(shuffled)
    assert decide(shuffled) == decide(grades)


@given(
    st.one_of(st.lists(st.integers(0, 4), min_size=2, max_size=2), st.lists(st.integers(0, 4), min_size=4, max_size=4))
)
def test_a_consensus_lies_within_the_grades(grades: list[int]) -> None:
    decision = decide(grades)
    if decision.status == "consensus":
        assert decision.grade is not None and min(grades) <= decision.grade <= max(grades)
    else:
        assert decision.grade is None


@pytest.mark.parametrize(
    ("grades", "status", "grade"),
    [
        ([3, 4], "consensus", 4),
        ([2, 2], "consensus", 2),
        ([0, 2], "escalate", None),
        ([0, 2, 1, 1], "consensus", 1),
        ([4, 1, 2, 3], "consensus", 3),
        ([0, 4, 1, 3], "discarded", None),
        ([0, 0, 4, 4], "discarded", None),
        ([0, 4, 4, 4], "consensus", 4),
    ],
)
def test_worked_examples(grades: list[int], status: str, grade: int | None) -> None:
    assert (decide(grades).status, decide(grades).grade) == (status, grade)


@pytest.mark.parametrize(
    "bad",
    [[], [1], [1, 2, 3], [1] * 5, [1, 5], [-1, 0], [1.0, 2], [True, 1], ["1", "2"], [None, 1], "12", None, 7, {1, 2}],
    ids=repr,
)
def test_anything_else_is_a_value_error(bad: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        decide(bad)
