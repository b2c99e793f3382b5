"""The exam's rule by hand-worked cases: the median, what is out, and agreement."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement.kappa import agreement, cohen_kappa, mean_kappa_of_each
from annotation.qualification.exam_rule import is_out, median, share_out

GRADES = st.lists(st.integers(0, 4), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("grades", "truth"),
    [([3], 3.0), ([1, 2], 1.5), ([4, 0, 1], 1.0), ([0, 4], 2.0), ([2, 3, 3, 2], 2.5), ([4, 4, 4, 0, 1], 4.0)],
)
def test_the_median_is_the_middle_and_may_be_a_half(grades: list[int], truth: float) -> None:
    assert median(grades) == truth


@given(GRADES)
def test_a_median_lies_between_with_half_on_either_side(grades: list[int]) -> None:
    middle = median(grades)
    assert middle * 2 == int(middle * 2)
    assert sum(grade < middle for grade in grades) <= len(grades) / 2
    assert sum(grade > middle for grade in grades) <= len(grades) / 2
    assert median(grades[::-1]) == middle


@pytest.mark.parametrize("grades", [[], [5], [-1], [1.5], [1, None]])
def test_a_median_of_no_grades_is_refused(grades: list[int]) -> None:
    with pytest.raises(ValueError, match="found"):
        median(grades)


@pytest.mark.parametrize(
    ("grade", "truth", "out"),
    [(2, 3.0, False), (1, 3.0, True), (1, 2.5, True), (2, 2.5, False), (4, 2.5, True), (0, 1.0, False)],
)
def test_out_means_more_than_one_away(grade: int, truth: float, out: bool) -> None:
    assert is_out(grade, truth, 1) is out


def test_the_share_out_counts_every_grade() -> None:
    assert share_out([(0, 3.0), (3, 3.0), (2, 3.0), (4, 3.0)], 1) == 0.25
    assert share_out([], 1) is None


def test_cohen_s_kappa_by_hand() -> None:
    # Observed agreement 3/4; by chance 1/2 * 1/4 + 1/2 * 3/4 = 1/2.
    assert cohen_kappa([0, 0, 1, 1], [0, 1, 1, 1]) == pytest.approx(0.5)
    # Squared differences: observed (0 + 0 + 4) / 3; expected over all nine pairs 36 / 9.
    assert cohen_kappa([0, 1, 2], [0, 1, 4], weights="quadratic") == pytest.approx(2 / 3)


def test_krippendorff_s_alpha_by_hand() -> None:
    # Values 0, 0, 0 and 1 five times: 1 - 7 * 1 / (3 * 5); with two grades in use ordinal is nominal.
    assert agreement([[0, 0, 1, 1], [0, 1, 1, 1]]).alpha == pytest.approx(8 / 15)


def test_kappa_is_the_mean_over_all_pairs_of_people() -> None:
    people = [[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1]]
    figures = agreement(people)
    assert (figures.people, figures.items) == (3, 4)
    assert figures.kappa == pytest.approx((0.5 + 1 + 0.5) / 3)
    assert mean_kappa_of_each(people) == pytest.approx([0.75, 0.5, 0.75])


def test_who_always_gives_one_grade_has_no_kappa_with_their_like() -> None:
    assert cohen_kappa([2, 2, 2], [2, 2, 2]) is None
    same = agreement([[2, 2], [2, 2]])
    assert (same.kappa, same.weighted, same.alpha) == (None, None, None)
    # Against somebody who varies it is 0: no better than chance.
    assert cohen_kappa([2, 2, 2, 2], [1, 2, 3, 2]) == 0


@pytest.mark.parametrize("rows", [[], [[1, 2, 3]], [[], []]])
def test_agreement_needs_two_people_and_an_item(rows: list[list[int]]) -> None:
    figures = agreement(rows)
    assert (figures.kappa, figures.weighted, figures.alpha) == (None, None, None)


def test_rows_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        agreement([[1, 2], [1]])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=20))
def test_agreement_is_never_above_one_nor_nan(items: list[tuple[int, int, int]]) -> None:
    rows = [[item[person] for item in items] for person in range(3)]
    figures = agreement(rows)
    for value in (figures.kappa, figures.weighted, figures.alpha):
        assert value is None or (not math.isnan(value) and value <= 1 + 1e-12)
