"""When the rule asks for a second batch."""

import pytest

from annotation.review.extend_rule import decide_alone, recommend


def test_the_five_lowest_ranks_with_a_grade_count_and_discarded_ones_are_passed_over() -> None:
    graded = [(rank, 0) for rank in range(1, 15)] + [(15, 4), (16, 3), (17, None), (18, 2), (19, 3), (20, 3)]
    verdict = recommend(graded, threshold=2.5)
    assert verdict.ranks == (15, 16, 18, 19, 20)
    assert verdict.mean == 3.0
    assert verdict.extend


@pytest.mark.parametrize(("grades", "extend"), [([2, 2, 3, 3, 3], True), ([2, 2, 2, 3, 3], False)])
def test_the_threshold_itself_extends(grades: list[int], extend: bool) -> None:
    assert recommend(list(enumerate(grades, start=1)), threshold=2.6).extend is extend


def test_without_any_grade_it_says_finish() -> None:
    verdict = recommend([(1, None), (2, None)], threshold=2.5)
    assert (verdict.mean, verdict.extend) == (None, False)
    assert verdict.in_words() == "no grade to go by, rule says finish"


def test_fewer_than_five_grades_are_all_looked_at() -> None:
    verdict = recommend([(2, 4), (1, 2)], threshold=2.5)
    assert (verdict.ranks, verdict.mean) == ((1, 2), 3.0)
    assert verdict.in_words() == "last two average 3.0, rule says extend (≥ 2.5)"


def test_a_mean_is_never_written_as_another_number_that_contradicts_the_verdict() -> None:
    below = recommend(list(enumerate([4, 4, 4, 3], start=1)), threshold=3.8)
    assert below.in_words() == "last four average 3.75, rule says finish (< 3.8)"
    reached = recommend(list(enumerate([2, 2, 2, 3], start=1)), threshold=2.25)
    assert reached.in_words() == "last four average 2.25, rule says extend (≥ 2.25)"


@pytest.mark.parametrize(
    ("mean", "extend_from", "finish_to", "decided"),
    [
        (2.5, 2.5, 1.0, "extend"),
        (2.49, 2.5, 1.0, None),
        (1.01, 2.5, 1.0, None),
        (1.0, 2.5, 1.0, "finish"),
        (4.0, None, 1.0, None),
        (0.0, 2.5, None, None),
        (0.0, None, None, None),
        (None, 0.0, 4.0, None),
    ],
)
def test_a_policy_decides_from_its_two_bounds_on_and_leaves_what_has_none_to_the_lead(
    mean: float | None, extend_from: float | None, finish_to: float | None, decided: str | None
) -> None:
    assert decide_alone(mean, extend_from=extend_from, finish_to=finish_to) == decided
