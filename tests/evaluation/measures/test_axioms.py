"""The axioms of the AxIoU paper and the eight properties of its supplement, as properties of the code.

A system's list is given by its overlaps: a judged moment (0, 100) and predictions (0, 100 * overlap). The new system
differs from the old one only at rank k. Condition A.1: its moment there is better. INV-k (A.2): it is no better than
the best before it, and then nothing changes. MON-k (A.3): it is better than all before it, and then the measure rises.
A.2 and A.3 speak of the new system alone: the old moment at k may be anything that is worse.

The differences are those of the proofs, written out here anew; nothing of the code is used for them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from evaluation import GroundTruth, JudgedMoment, Prediction, Run, evaluate

K, THETA, QUERIES = 4, 50, 3
AXIOU, RECALL, AP, AP_HITS, DCG = "AxIoU@4", "R@4,IoU>0.5", "AP@4,IoU>0.5", "AP(hits)@4,IoU>0.5", "DCG@4"
NCXIOU = "NCxIoU(persistence=0.6)@4"
TRUTH = GroundTruth.of([(f"q{q}", [JudgedMoment("v", 0, 100, 1)]) for q in range(QUERIES)])

# Hundredths; 0 is a moment elsewhere.
overlaps = st.integers(0, 100)


@dataclass(frozen=True)
class Change:
    """Two lists that differ at rank k (1 is the first) alone, in hundredths."""

    k: int
    old: list[int]
    new: list[int]

    @property
    def best_before(self) -> int:
        """The largest overlap before rank k; -1 if nothing stands there."""
        return max(self.new[: self.k - 1], default=-1)


def value(measure: str, percents: list[int]) -> float:
    """The mean over all queries; the lists of the others stay the same."""
    lists = [percents, [80, 20], [0, 60, 30]]
    run = Run.of(
        "run",
        [
            (f"q{q}", [Prediction("v", 0, percent) if percent else Prediction("w", 0, 1) for percent in own])
            for q, own in enumerate(lists)
        ],
    )
    return evaluate(TRUTH, [run], [measure])[0].value


def gain(measure: str, change: Change) -> float:
    """By how much the change raises the mean over the queries."""
    return value(measure, change.new) - value(measure, change.old)


@st.composite
def redundant(draw: st.DrawFn) -> Change:
    """A.1 and A.2: a moment that becomes better, but not better than the best before it."""
    before = draw(st.lists(overlaps, min_size=1, max_size=K - 1).filter(any))
    after = draw(st.lists(overlaps, max_size=K - 1 - len(before)))
    new = draw(st.integers(1, max(before)))
    old = draw(st.integers(0, new - 1))
    return Change(len(before) + 1, [*before, old, *after], [*before, new, *after])


@st.composite
def improved(draw: st.DrawFn) -> Change:
    """A.1 and A.3: a moment that becomes better, and better than all before it."""
    before = draw(st.lists(st.integers(0, 99), max_size=K - 1))
    after = draw(st.lists(overlaps, max_size=K - 1 - len(before)))
    new = draw(st.integers(max(before, default=0) + 1, 100))
    old = draw(st.integers(0, new - 1))
    return Change(len(before) + 1, [*before, old, *after], [*before, new, *after])


changes = st.one_of(redundant(), improved())
EASY = settings(max_examples=200, deadline=None)
SEARCH = settings(max_examples=5000, deadline=None, database=None, phases=[Phase.generate])


def test_the_old_moment_of_an_improvement_may_be_worse_than_what_stands_before_it() -> None:
    found = find(improved(), lambda change: change.old[change.k - 1] < change.best_before, settings=SEARCH)
    assert found.new[found.k - 1] > found.best_before > found.old[found.k - 1]


@EASY
@given(change=improved())
def test_property_1_recall_ignores_a_better_best_moment_on_its_side_of_the_boundary(change: Change) -> None:
    others = sum(percent > THETA for j, percent in enumerate(change.new[:K], 1) if j != change.k)
    expected = ((change.new[change.k - 1] > THETA or others > 0) - (change.old[change.k - 1] > THETA or others > 0)) / 3
    assert gain(RECALL, change) == pytest.approx(expected, abs=1e-12)  # equation 2
    if change.new[change.k - 1] <= THETA or others:
        assert gain(RECALL, change) == 0


@EASY
@given(change=redundant())
def test_property_2_recall_ignores_redundant_moments(change: Change) -> None:
    assert gain(RECALL, change) == 0


@EASY
@given(change=changes)
def test_properties_3_and_4_ap_pays_each_hit_by_its_rank_alone(change: Change) -> None:
    # Equation 6, with the sum from k' on.
    hit = (change.new[change.k - 1] > THETA) - (change.old[change.k - 1] > THETA)
    expected = hit * sum(1 / rank for rank in range(change.k, K + 1)) / K / QUERIES
    assert gain(AP, change) == pytest.approx(expected, abs=1e-12)


def test_property_3_a_redundant_hit_raises_ap() -> None:
    found = find(redundant(), lambda change: gain(AP, change) > 1e-9, settings=SEARCH)
    assert found.new[found.k - 1] <= found.best_before
    assert value(AP, [60, 1, 60]) > value(AP, [60, 1, 1])
    # So a system without non-maximum suppression gains by the same moment again and again.
    assert value(AP, [60, 60, 60, 60]) > value(AP, [60, 1, 1, 1])
    with pytest.raises(NoSuchExample):
        find(redundant(), lambda change: gain(AP, change) < -1e-9, settings=settings(SEARCH, max_examples=200))


def test_property_4_ap_ignores_a_better_best_moment_on_its_side_of_the_boundary() -> None:
    find(improved(), lambda change: gain(AP, change) == 0, settings=SEARCH)
    assert value(AP, [20]) == value(AP, [40])


def test_ap_over_the_hits_holds_neither_axiom_and_can_fall_by_a_redundant_hit() -> None:
    find(redundant(), lambda change: gain(AP_HITS, change) < -1e-9, settings=SEARCH)
    find(improved(), lambda change: gain(AP_HITS, change) == 0, settings=SEARCH)
    assert value(AP_HITS, [60, 1, 60]) < value(AP_HITS, [60, 1, 1])


@EASY
@given(change=changes)
def test_properties_5_and_6_dcg_pays_every_better_moment(change: Change) -> None:
    # Equation 9 with the gain r and the discount log2(k + 1): redundant or not, the measure rises.
    expected = (change.new[change.k - 1] - change.old[change.k - 1]) / 100 / math.log2(change.k + 1) / QUERIES
    assert gain(DCG, change) == pytest.approx(expected, abs=1e-12)
    assert gain(DCG, change) > 0


@EASY
@given(change=redundant())
def test_property_7_axiou_ignores_redundant_moments(change: Change) -> None:
    assert gain(AXIOU, change) == 0


@EASY
@given(change=improved())
def test_property_8_axiou_pays_a_better_best_moment(change: Change) -> None:
    first = change.new[change.k - 1] - max(change.old[: change.k])
    rest = sum(max(change.new[:rank]) - max(change.old[:rank]) for rank in range(change.k + 1, K + 1))
    assert first > 0
    assert rest >= 0
    assert gain(AXIOU, change) == pytest.approx((first + rest) / 100 / K / QUERIES, abs=1e-12)  # equation 13
    assert gain(AXIOU, change) > 0


@EASY
@given(one=redundant(), other=improved())
def test_ncxiou_with_other_users_keeps_both_axioms(one: Change, other: Change) -> None:
    assert gain(NCXIOU, one) == pytest.approx(0, abs=1e-12)
    assert gain(NCXIOU, other) > 1e-6


@EASY
@given(percents=st.lists(overlaps, min_size=1, max_size=K))
def test_axiou_is_the_mean_over_k_of_the_integral_of_recall_over_the_threshold(percents: list[int]) -> None:
    # Section 4.2, equations 6 to 8. R@k changes only where a threshold passes an overlap: between two of them one
    # threshold speaks for the whole stretch.
    edges = sorted({0, 100, *percents})
    total = 0.0
    for k in range(1, K + 1):
        for low, high in pairwise(edges):
            measure = f"R@{k},IoU>{(low + high) / 200}"
            total += (high - low) / 100 * (value(measure, percents) - others(measure)) / K
    assert value(AXIOU, percents) - others(AXIOU) == pytest.approx(total, abs=1e-12)


def others(measure: str) -> float:
    """What the queries that stay the same add to the mean."""
    return value(measure, [])


def test_the_searches_do_fail_where_there_is_no_counter_example() -> None:
    with pytest.raises(NoSuchExample):
        find(improved(), lambda change: gain(AXIOU, change) <= 0, settings=settings(SEARCH, max_examples=200))
