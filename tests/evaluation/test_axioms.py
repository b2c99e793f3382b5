"""The axioms of the AxIoU paper, as properties of the measures.

INV-k, invariance against redundant moments: if the moment at rank k overlaps no more than the best
before it, replacing it by any other such moment changes nothing.
MON-k, monotonicity with respect to the best moment: if the moment at rank k is better than all
before it, making it better still raises the value.

A list is given by its overlaps: a judged moment (0, 100) and predictions (0, 100 * overlap).
"""

from __future__ import annotations

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from evaluation import GroundTruth, JudgedMoment, Prediction, Run, evaluate

TRUTH = GroundTruth.of([("q", [JudgedMoment("v", 0, 100, 1)])])
K = 4
AXIOU, RECALL, AP, DCG = "AxIoU@4", "R@4,IoU>0.5", "AP@4,IoU>0.5", "DCG@4"

# Hundredths, at least one: a moment of no length is none.
overlaps = st.integers(1, 100)


def value(measure: str, percents: list[int]) -> float:
    run = Run.of("run", [("q", [Prediction("v", 0, percent) for percent in percents])])
    return evaluate(TRUTH, [run], [measure])[0].value


@st.composite
def redundant_replacements(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """A list and the same with one redundant moment replaced by another."""
    before = draw(st.lists(overlaps, min_size=1, max_size=K - 1))
    after = draw(st.lists(overlaps, max_size=K - 1 - len(before)))
    one, other = draw(st.integers(1, max(before))), draw(st.integers(1, max(before)))
    return [*before, one, *after], [*before, other, *after]


@st.composite
def improvements(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """A list and the same with a best-so-far moment made better."""
    before = draw(st.lists(st.integers(1, 98), max_size=K - 1))
    after = draw(st.lists(overlaps, max_size=K - 1 - len(before)))
    one = draw(st.integers(max(before, default=0) + 1, 99))
    better = draw(st.integers(one + 1, 100))
    return [*before, one, *after], [*before, better, *after]


@settings(max_examples=300, deadline=None)
@given(lists=redundant_replacements())
@pytest.mark.parametrize("measure", [AXIOU, RECALL])
def test_redundant_moments_change_nothing(measure: str, lists: tuple[list[int], list[int]]) -> None:
    one, other = lists
    assert value(measure, one) == pytest.approx(value(measure, other), abs=1e-12)


@settings(max_examples=300, deadline=None)
@given(lists=improvements())
@pytest.mark.parametrize("measure", [AXIOU, DCG])
def test_a_better_best_moment_is_worth_more(measure: str, lists: tuple[list[int], list[int]]) -> None:
    worse, better = lists
    assert value(measure, better) > value(measure, worse)


@pytest.mark.parametrize("measure", [AP, DCG])
def test_a_counter_example_is_found_for_redundant_moments(measure: str) -> None:
    one, other = find(
        redundant_replacements(),
        lambda lists: abs(value(measure, lists[0]) - value(measure, lists[1])) > 1e-9,
        settings=settings(max_examples=5000, deadline=None, database=None),
    )
    assert max(one[: K - 1]) == max(other[: K - 1])  # the best is the same, the value isn't
    assert value(measure, one) != value(measure, other)


@pytest.mark.parametrize("measure", [RECALL, AP])
def test_a_counter_example_is_found_for_better_moments(measure: str) -> None:
    worse, better = find(
        improvements(),
        lambda lists: value(measure, lists[1]) <= value(measure, lists[0]),
        settings=settings(max_examples=5000, deadline=None, database=None),
    )
    assert sum(better) > sum(worse)


def test_the_counter_examples_by_hand() -> None:
    # A redundant hit more: the best moment is the same, AP falls and DCG rises.
    assert value(AP, [60, 1, 60]) < value(AP, [60, 1, 1])
    assert value(DCG, [60, 1, 60]) > value(DCG, [60, 1, 1])
    # A better best moment on the same side of the boundary: neither R@K nor AP notices.
    assert value(RECALL, [60]) == value(RECALL, [90])
    assert value(AP, [60]) == value(AP, [90])


def test_the_searches_do_fail_where_there_is_no_counter_example() -> None:
    with pytest.raises(NoSuchExample):
        find(
            improvements(),
            lambda lists: value(AXIOU, lists[1]) <= value(AXIOU, lists[0]),
            settings=settings(max_examples=200, deadline=None, database=None),
        )
