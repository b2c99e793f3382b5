"""Other numbers than the paper's: the rule stays a rule."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.consensus import Rule, decide, needed_in, state_of

rules = st.builds(
    Rule,
    top_grade=st.integers(1, 4),
    first_round=st.integers(2, 4),
    second_round=st.integers(1, 4),
    largest_difference=st.integers(0, 4),
    rounding=st.sampled_from(["up", "down"]),
)


@given(rules, st.data())
def test_order_doesn_t_matter_and_the_grade_lies_between_the_grades(rule: Rule, data: st.DataObject) -> None:
    size = data.draw(st.sampled_from([rule.first_round, rule.both_rounds]))
    grades = data.draw(st.lists(st.integers(0, rule.top_grade), min_size=size, max_size=size))
    decision = decide(grades, rule)
    assert decision == decide(sorted(grades), rule)
    assert (decision.grade is None) == (decision.status != "consensus")
    if decision.grade is not None:
        assert min(grades) <= decision.grade <= max(grades)


@given(rules, st.lists(st.integers(0, 4), max_size=9))
def test_a_pair_needs_judgments_exactly_while_it_is_not_decided(rule: Rule, grades: list[int]) -> None:
    grades = [min(grade, rule.top_grade) for grade in grades]
    state, _ = state_of(grades, rule)
    if state in ("open", "disputed"):
        assert len(grades) < needed_in(state, rule) or len(grades) >= rule.both_rounds
    else:
        assert needed_in(state, rule) == 0


def test_worked_examples() -> None:
    assert decide([2, 3], Rule(rounding="down")).grade == 2
    assert decide([0, 1, 2], Rule(first_round=3, largest_difference=2)).grade == 1
    assert decide([0, 4], Rule(second_round=0)).status == "discarded"
    assert decide([0, 4, 3], Rule(second_round=1)).grade == 3, "the middle one of three"
    assert decide([1, 1, 2, 2, 2], Rule(first_round=3, second_round=2)).grade == 2


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"top_grade": 5}, "found the top grade 5, expected 1 to 4"),
        ({"first_round": 0}, "found 0 and 2 people, expected at least 1 in the first round"),
        ({"second_round": -1}, "found 2 and -1 people, expected at least 1 in the first round"),
        ({"first_round": 1, "second_round": 1}, "found 2 people in both rounds, expected at least 3"),
        ({"largest_difference": -1}, "found the largest difference -1, expected 0 or more"),
        ({"rounding": "half"}, "found the rounding 'half', expected up or down"),
    ],
    ids=repr,
)
def test_numbers_by_which_nothing_could_be_decided_are_refused(numbers: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Rule(**numbers)
