"""Compatibility on moments: by hand, against every ideal ranking there is, and against ir_measures."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import GroundTruth, JudgedMoment, Prediction, Run, evaluate
from tests.evaluation import oracle
from tests.evaluation.worlds import VIDEOS, World, value, worlds


def overlap(first: list[object], second: list[object], p: float, depth: int) -> float:
    """Rank-biased overlap to a depth, rank by rank."""
    return sum(p ** (d - 1) * len(set(first[:d]) & set(second[:d])) / d for d in range(1, depth + 1))


def by_every_ideal(judged: oracle.Judged, ranked: oracle.Ranked, p: float, mu: float, k: int | None) -> float:
    """The greatest over all rankings of the relevant moments that no better grade stands below another."""
    listed: list[object] = [
        f"nothing {rank}" if moment is None else moment
        for rank, moment in enumerate(oracle.take(judged, ranked, mu, strict=False))
    ]
    relevant = [place for place, moment in enumerate(judged) if moment[3] >= 1]
    if not relevant:
        return 0.0
    depth = k or max(len(listed), len(relevant))
    ideals: list[list[object]] = [
        list(order) for order in permutations(relevant) if all(judged[a][3] >= judged[b][3] for a, b in pairwise(order))
    ]
    return max(overlap(listed, ideal, p, depth) / overlap(ideal, ideal, p, depth) for ideal in ideals)


def test_by_hand() -> None:
    judged = [("a", 0.0, 10.0, 3.0), ("b", 0.0, 10.0, 1.0), ("c", 0.0, 10.0, 0.0)]
    ranked = [("b", 0.0, 10.0), ("a", 0.0, 9.0)]
    # One of one would be ideal at the first rank and isn't there; two of two are at the second.
    assert value("Compat(p=0.5)@2,IoU>=0.5", judged, ranked) == pytest.approx(0.5 / 1.5)
    assert value("Compat(p=0.5)@1,IoU>=0.5", judged, ranked) == 0
    assert value("Compat(p=0.5),IoU>=0.5", judged, ranked[::-1]) == 1
    assert value("Compat(p=0.5)@5,IoU>=0.5", judged, []) == 0
    assert value("Compat(p=0.5)@5,IoU>=0.5", [judged[2]], ranked) == 0
    assert value("Compat(p=0.5)@1000000,IoU>=0.5", judged, [("c", 0.0, 10.0), *ranked[::-1]]) < 1


@settings(max_examples=60, deadline=None)
@given(world=worlds(), p=st.sampled_from([0.5, 0.95]), k=st.sampled_from([None, 1, 3, 100]))
def test_it_is_the_overlap_with_the_best_of_all_ideal_rankings(world: World, p: float, k: int | None) -> None:
    name = f"Compat(p={p}){'' if k is None else f'@{k}'},IoU>=0.5"
    truth = world.ground_truth()
    (record,) = evaluate(truth, [world.run()], [name])
    expected = [by_every_ideal(world.judged[q], world.ranked(q), p, 0.5, k) for q in truth.query_ids]
    np.testing.assert_allclose(record.per_query, expected, atol=1e-12)  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_on_fixed_moments_it_is_that_of_ir_measures(data: st.DataObject) -> None:
    moments = [(video, 10.0 * place, 10.0 * place + 5) for video in VIDEOS for place in range(3)]
    known = data.draw(st.lists(st.sampled_from(moments), unique=True, min_size=1))
    judged = [JudgedMoment(*one, float(data.draw(st.integers(0, 3)))) for one in known]
    found = data.draw(st.lists(st.sampled_from(moments), unique=True, min_size=1))
    truth, run = GroundTruth.of([("q", judged)]), Run.of("run", [("q", [Prediction(*one) for one in found])])
    ours, theirs = evaluate(truth, [run], ["Compat(p=0.8),IoU>=0.5", "Compat(p=0.8)"])
    assert ours.value == pytest.approx(theirs.value, abs=1e-12)
