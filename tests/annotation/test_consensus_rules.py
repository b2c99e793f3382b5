"""Other numbers than the paper's: the rule stays a rule."""

import json
from typing import Any, get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from annotation.consensus import Decision, Kind, Rounding, Rule, decide, needed_in, state_of
from annotation.consensus_in_words import rule_in_words
from evaluation.judgments.consensus import STEPS_TO_100
from foundation import models as foundation

SCALES = [(1, 1), (2, 1), (3, 1), (4, 1), *((100, step) for step in (1, 5, 10, 20, 25))]


@st.composite
def of_any_kind(draw: st.DrawFn) -> Rule:
    top, step = draw(st.sampled_from(SCALES))
    kind: Kind = draw(st.sampled_from(get_args(Kind)))
    first, second = draw(st.integers(1, 5)), draw(st.integers(0, 4))
    most = (first + second - 1) // 2
    assume(kind != "paper" or second == 0 or most)
    return Rule(
        top_grade=top,
        step=step,
        kind=kind,
        first_round=first,
        second_round=second,
        largest_difference=draw(st.integers(0, top)),
        trimmed=draw(st.integers(1, most)) if kind == "paper" and second else 1,
        rounding=draw(st.sampled_from(get_args(Rounding))),
    )


rules = of_any_kind()


def grades_for(rule: Rule, size: int) -> st.SearchStrategy[list[int]]:
    grade = st.integers(0, rule.top_grade // rule.step).map(lambda place: place * rule.step)
    return st.lists(grade, min_size=size, max_size=size)


@given(rules, st.data())
def test_order_doesn_t_matter_and_the_grade_lies_between_the_grades_that_are_kept(
    rule: Rule, data: st.DataObject
) -> None:
    size = data.draw(st.sampled_from([rule.first_round, rule.both_rounds]))
    grades = data.draw(grades_for(rule, size))
    decision = decide(grades, rule)
    assert decision == decide(data.draw(st.permutations(grades)), rule)
    assert (decision.grade is None) == (decision.status != "consensus")
    if decision.grade is not None:
        kept = rule.kept_of(grades)
        assert kept[0] <= decision.grade <= kept[-1] and decision.grade % rule.step == 0


@given(rules, st.data())
def test_no_rule_leaves_a_pair_undecided_for_ever(rule: Rule, data: st.DataObject) -> None:
    decision = decide(data.draw(grades_for(rule, rule.both_rounds)), rule)
    assert decision.status in (("consensus",) if rule.kind == "median" else ("consensus", "discarded"))
    first = decide(data.draw(grades_for(rule, rule.first_round)), rule)
    assert first.status != "escalate" or rule.second_round > 0


@given(rules, st.data())
def test_people_who_all_say_the_same_are_believed_by_every_rule(rule: Rule, data: st.DataObject) -> None:
    (grade,) = data.draw(grades_for(rule, 1))
    for size in (rule.first_round, rule.both_rounds):
        assert decide([grade] * size, rule) == Decision("consensus", grade)


@given(rules)
def test_a_rule_is_told_and_read_back_as_it_is(rule: Rule) -> None:
    assert Rule.of(json.loads(json.dumps(rule.told()))) == rule
    assert rule_in_words(rule).endswith(".")


@given(rules, st.data(), st.integers(0, 9))
def test_a_pair_needs_judgments_exactly_while_it_is_not_decided(rule: Rule, data: st.DataObject, given: int) -> None:
    grades = data.draw(grades_for(rule, given))
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


def test_the_paper_s_rule_drops_as_many_as_it_is_told() -> None:
    rule = Rule(first_round=3, second_round=3, trimmed=2)
    assert decide([0, 4, 4, 3, 2, 0], rule).grade == 3, "2 and 3 are left"
    assert decide([0, 4, 4, 4, 2, 0], rule).status == "discarded"


def test_a_mean_on_0_to_100_is_rounded_to_the_scale_s_step() -> None:
    tens = Rule(100, 3, 2, largest_difference=30, rounding="nearest", step=10, kind="mean")
    assert decide([50, 60, 80], tens).grade == 60, "63.3"
    assert decide([50, 50, 60], Rule(100, 3, 0, largest_difference=30, rounding="up", step=10, kind="mean")).grade == 60
    assert decide([40, 50, 40, 50], Rule(100, 4, 0, largest_difference=30, rounding="nearest", step=10)).grade == 50
    assert decide([0, 60, 80], tens).status == "escalate"
    assert decide([40, 60, 80, 50, 60], tens).status == "discarded", "nothing is dropped: 40 and 80 are too far apart"
    assert decide([50, 60, 80, 50, 60], tens).grade == 60


def test_a_median_needs_nobody_else_or_asks_only_where_the_first_differ() -> None:
    three = Rule(kind="median", first_round=3, second_round=0)
    assert [decide(grades, three).grade for grades in ([0, 4, 1], [4, 4, 0], [2, 2, 2])] == [1, 4, 2]
    third = Rule(kind="median", first_round=2, second_round=1)
    assert decide([2, 3], third).grade == 3 and decide([0, 3], third).status == "escalate"
    assert decide([0, 3, 1], third).grade == 1
    even = Rule(kind="median", first_round=4, second_round=0, rounding="down")
    assert decide([0, 1, 4, 4], even).grade == 2, "2.5 of the two in the middle"


def test_a_majority_is_more_than_half() -> None:
    rule = Rule(kind="majority", first_round=3, second_round=2)
    assert decide([4, 0, 4], rule).grade == 4 and decide([4, 0, 1], rule).status == "escalate"
    assert decide([4, 0, 1, 4, 4], rule).grade == 4 and decide([4, 0, 1, 4, 0], rule).status == "discarded"
    assert decide([0, 1], Rule(kind="majority", top_grade=1, second_round=0)).status == "discarded", "half isn't more"


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"top_grade": 5}, "found the top grade 5, expected 1 to 4, or 100"),
        ({"top_grade": 4, "step": 2}, "found the step 2 of grades up to 4, expected 1"),
        ({"top_grade": 100, "step": 3}, "found the step 3 of grades up to 100, expected 1 or 5 or 10 or 20 or 25"),
        ({"kind": "vote"}, "found the rule 'vote', expected paper or mean or median or majority"),
        ({"trimmed": 0}, "found 0 grades to drop, expected 1 or more"),
        ({"trimmed": 2}, "found 4 people in both rounds, expected at least 5: 4 grades are dropped"),
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


def test_grades_off_the_scale_s_steps_are_refused() -> None:
    with pytest.raises(ValueError, match="found the grade 15, expected a multiple of 10"):
        decide([10, 15], Rule(top_grade=100, step=10))


def test_older_manifests_state_the_paper_s_rule() -> None:
    told = {"top_grade": 4, "first_round": 2, "second_round": 2, "largest_difference": 1, "rounding": "up"}
    assert Rule.of({**told, "grade": "mean"}) == Rule() and Rule().told() == told


@pytest.mark.parametrize("number", [4.0, True, None, [4]], ids=repr)
def test_no_rule_has_a_number_that_isn_t_whole(number: Any) -> None:
    with pytest.raises(TypeError, match=r"found the top_grade [^,]+, expected a whole number"):
        Rule.of({**Rule().told(), "top_grade": number})


def test_a_collection_s_choices_are_the_library_s() -> None:
    assert (foundation.STEPS_TO_100, foundation.HIGHEST_GRADE) == (STEPS_TO_100, 100)
    assert foundation.ConsensusRule.values == list(get_args(Kind))
    assert foundation.Rounding.values == list(get_args(Rounding))
