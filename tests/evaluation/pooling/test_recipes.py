"""Recipes choose as their sources say, never a moment twice, and go on from whatever was judged."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import EvaluationError
from evaluation.pooling.recipes import NAMES, Depth, MaxMean, MoveToFront, Paper, next_batch, recipe_named

ALL = [name.replace("@K", "@3") for name in NAMES] + ["depth@2+max-mean", "paper+rrf"]
LISTS = st.lists(st.lists(st.integers(0, 30), unique=True, max_size=12), min_size=1, max_size=4)
GRADES = st.dictionaries(st.integers(0, 30), st.integers(0, 4).map(float))


def ungraded(moment: int) -> None:
    return None


def graded(*relevant: int) -> Callable[[int], float]:
    return lambda moment: 3.0 if moment in relevant else 0.0


def walked(name: str, lists: list[list[int]], grade_of: Callable[[int], float | None]) -> list[int]:
    return [pick.moment for pick in recipe_named(name).walk(lists, grade_of)]


@pytest.mark.parametrize("name", ALL)
@settings(deadline=None)
@given(lists=LISTS, grades=GRADES)
def test_each_moment_is_picked_once_where_a_run_has_it(
    name: str, lists: list[list[int]], grades: dict[int, float]
) -> None:
    picks = list(recipe_named(name).walk(lists, grades.get))
    assert len({pick.moment for pick in picks}) == len(picks)
    assert all(lists[pick.run][pick.rank - 1] == pick.moment for pick in picks)
    whole = {moment for one in lists for moment in one}
    if name in ("depth", "rrf", "move-to-front", "max-mean", "depth@2+max-mean"):
        assert {pick.moment for pick in picks} == whole


@pytest.mark.parametrize("name", ALL)
@settings(deadline=None)
@given(lists=LISTS, grades=GRADES, size=st.integers(1, 5))
def test_batch_by_batch_nothing_is_judged_twice_and_nothing_is_left(
    name: str, lists: list[list[int]], grades: dict[int, float], size: int
) -> None:
    recipe, judged = recipe_named(name), dict[int, float]()
    while batch := next_batch(recipe, lists, judged.get, set(judged), size):
        assert len(batch) <= size
        assert not {pick.moment for pick in batch} & set(judged)
        judged |= {pick.moment: grades.get(pick.moment, 0.0) for pick in batch}
    assert {pick.moment for pick in recipe.walk(lists, judged.get)} <= set(judged)


def test_depth_goes_rank_by_rank() -> None:
    assert walked("depth", [[1, 2, 3], [4, 1, 5]], ungraded) == [1, 4, 2, 3, 5]
    assert walked("depth@2", [[1, 2, 3], [4, 1, 5]], ungraded) == [1, 4, 2]


def test_fusion_prefers_what_several_returned() -> None:
    # 1/62 + 1/62 is more than 1/61, and than 1/61 alone.
    assert walked("rrf", [[1, 9], [2, 9]], ungraded) == [9, 1, 2]


def test_fusion_has_the_constant_of_its_paper() -> None:
    """Two tenth places outweigh a first one by 60 (2/70 > 1/61), and wouldn't by 6 (2/16 < 1/7)."""
    one, two = [1, *range(10, 18), 9], [2, *range(20, 28), 9]
    assert walked("rrf", [one, two], ungraded)[:3] == [9, 1, 2]


def test_fusion_of_equal_sums_goes_by_rank_and_run() -> None:
    assert walked("rrf", [[1, 2], [2, 1], [3, 4]], ungraded) == [1, 2, 3, 4]


def test_a_run_that_brings_relevant_moments_stays_in_front() -> None:
    lists = [[10, 11, 12], [20, 21, 22, 23]]
    assert walked("move-to-front", lists, graded(20, 21)) == [10, 20, 21, 22, 11, 23, 12]
    assert walked("move-to-front", lists, graded(10, 11, 12)) == [10, 11, 12, 20, 21, 22, 23]


def test_without_grades_move_to_front_is_depth() -> None:
    lists = [[10, 11, 12], [20, 21, 22], [30, 31, 32]]
    assert walked("move-to-front", lists, ungraded) == walked("depth", lists, ungraded)
    assert walked("max-mean", lists, ungraded) == walked("depth", lists, ungraded)


def test_the_highest_mean_goes_on() -> None:
    # 10 is relevant: 2/3; 11 is not: 2/4, as the second run's 1/2; equal ones go by order, then 2/5 falls behind.
    assert walked("max-mean", [[10, 11, 12, 13], [20, 21]], graded(10, 20)) == [10, 11, 12, 20, 21, 13]


def test_what_is_relevant_is_a_setting() -> None:
    lists = [[10, 11], [20, 21]]
    assert [pick.moment for pick in MoveToFront(4.0).walk(lists, graded(10))] == [10, 20, 11, 21]
    assert [pick.moment for pick in MaxMean(3.0).walk(lists, graded(10))] == [10, 11, 20, 21]


@pytest.mark.parametrize(
    ("grades", "picked"),
    [([0] * 15 + [3, 3, 2, 2, 3], 40), ([4] * 15 + [3, 2, 2, 2, 2], 20), ([None] * 20, 20), ([None] * 19 + [3], 40)],
)
def test_the_papers_second_batch(grades: list[float | None], picked: int) -> None:
    one = list(range(60))
    grade_of = dict(enumerate(grades)).get
    assert [pick.moment for pick in Paper().walk([one, [99]], grade_of)] == one[:picked]


@settings(deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(0, 4)), min_size=20, max_size=20), st.sampled_from((1.0, 2.5, 3.2)))
def test_the_papers_second_batch_is_decided_as_in_review(grades: list[int | None], threshold: float) -> None:
    extend_rule = pytest.importorskip("annotation.review.extend_rule")
    picks = list(Paper(threshold).walk([list(range(40))], dict(enumerate(grades)).get))
    assert (len(picks) == 40) == extend_rule.recommend(list(enumerate(grades, start=1)), threshold=threshold).extend


@pytest.mark.parametrize("name", ["dept", "depth@0", "depth@x", "rrf+", "", "max-mean+no"])
def test_an_unknown_recipe_is_said(name: str) -> None:
    with pytest.raises(EvaluationError, match="is no recipe: expected one of paper, depth"):
        recipe_named(name)


@pytest.mark.parametrize("name", ["paper", "depth@7", "rrf", "depth@5+move-to-front+max-mean"])
def test_a_recipe_is_read_back_by_its_name(name: str) -> None:
    assert recipe_named(name).name == name
    assert recipe_named("depth") == Depth()
