"""Means from few people's and all of a machine's judgments: what they are, and how often their intervals hold."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from evaluation.arrays import FloatArray
from evaluation.errors import EvaluationError
from evaluation.guarantees.assisted_mean import FEWEST, assisted_means
from evaluation.guarantees.critical_values import of_all

QUERIES, SYSTEMS = 600, 4


def scores() -> FloatArray:
    """Skewed scores in [0, 1] of systems that are close, shape (systems, queries); a tenth of the queries are 0."""
    rng = np.random.default_rng(11)
    hard = rng.beta(0.6, 1.2, QUERIES)
    own = hard * (0.8 + 0.1 * np.arange(SYSTEMS)[:, None]) + rng.normal(0, 0.15, (SYSTEMS, QUERIES))
    own[:, rng.random(QUERIES) < 0.1] = 0
    return np.clip(own, 0, 1)


def judge(name: str, people: FloatArray) -> FloatArray:
    rng = np.random.default_rng(12)
    noise = rng.normal(0, 0.15, people.shape)
    if name == "over-rating":
        return np.clip(0.3 + 0.7 * people + noise, 0, 1)
    if name == "constant":
        return np.full(people.shape, 0.5)
    if name == "hostile":
        told = np.clip(people + noise, 0, 1)
        told[0] = np.clip(1 - 0.2 * people[0] + noise[0], 0, 1)
        return told
    return np.clip(people + noise, 0, 1)


@pytest.mark.parametrize("size", [30, 120])
@pytest.mark.parametrize("name", ["noisy", "over-rating", "constant", "hostile"])
def test_intervals_hold_whatever_the_machine_is(name: str, size: int) -> None:
    people = scores()
    machine, seeds = judge(name, people), 300
    first, second = np.array(list(combinations(range(SYSTEMS), 2))).T
    apart, apart_machine = people[first] - people[second], machine[first] - machine[second]
    covered, at_once, wrong, ratios = 0.0, 0, 0, []
    for seed in range(seeds):
        judged = np.random.default_rng(seed).choice(QUERIES, size, replace=False)
        own = assisted_means(people[:, judged], machine, judged, queries=QUERIES)
        alone = assisted_means(people[:, judged], None, judged, queries=QUERIES)
        covered += float((np.abs(own.estimate - people.mean(axis=1)) <= own.half_width).mean()) / seeds
        ratios.append((own.half_width / alone.half_width).mean())
        two = assisted_means(apart[:, judged], apart_machine, judged, queries=QUERIES)
        half = np.maximum(of_all(two.influence, draws=250, seed=seed) * two.error, two.half_width)
        at_once += bool((np.abs(two.estimate - apart.mean(axis=1)) <= half).all())
        wrong += bool(((np.abs(two.estimate) > half) & (two.estimate * apart.mean(axis=1) <= 0)).any())
    # Three standard errors of 300 seeds beside 93, 94 and 5 %.
    assert covered > 0.93 - 0.03 and at_once / seeds > 0.94 - 0.04 and wrong / seeds < 0.05 + 0.04
    assert np.mean(ratios) < (0.8 if name in ("noisy", "over-rating") else 1.05)


def test_the_estimate_is_that_of_prediction_powered_inference() -> None:
    """Oracle: ppi_mean_pointestimate and ppi_mean_ci of ppi-python 0.2.3, with the same weight; its interval is by the
    normal distribution and without what few queries cost, so a little narrower."""
    for queries, estimate, low, high, width in (
        (200, 0.44234404, 0.4087393, 0.47594879, 1.04),
        (4000, 0.45043412, 0.443157, 0.45771125, 1.006),
    ):
        place = np.arange(queries)
        machine = np.modf(np.sin(place * 12.9898) * 43758.5453)[0] % 1
        people = np.clip(0.7 * machine + 0.2 * (np.modf(np.sin(place * 78.233) * 12543.123)[0] % 1), 0, 1)
        judged = np.arange(0, queries, 5)
        own = assisted_means(people[None, judged], machine[None], judged, queries=queries, target="such")
        assert own.estimate[0] == pytest.approx(estimate, abs=1e-7)
        assert 1 <= 2 * own.half_width[0] / (high - low) < width


def test_people_alone_is_students_interval_of_a_finite_population() -> None:
    people = np.array([[0.0, 0.5, 1.0, 0.25]])
    own = assisted_means(people, None, np.arange(4), queries=16)
    error = people.std(ddof=1) / 2 * np.sqrt(1 - 4 / 16)
    assert own.estimate[0] == people.mean() and own.error[0] == pytest.approx(error)
    student = 3.182446305 * error
    assert student <= own.half_width[0] <= 1.5 * student, "of so few queries the bootstrap-t may be wider"
    many = np.resize(people, (1, 100))
    own_of_many = assisted_means(many, None, np.arange(100), queries=10_000)
    assert own_of_many.half_width[0] == pytest.approx(1.9842169515 * own_of_many.error[0])
    of_all_such = assisted_means(people, None, np.arange(4), queries=16, target="such")
    assert of_all_such.error[0] == pytest.approx(people.std(ddof=1) / 2)


def test_of_few_queries_the_error_is_what_leaving_each_out_shows() -> None:
    people = scores()
    machine = judge("hostile", people)
    for size, jackknife in ((30, True), (120, False)):
        judged = np.random.default_rng(7).choice(QUERIES, size, replace=False)
        own = assisted_means(people[:1, judged], machine[:1], judged, queries=QUERIES)
        left_out = [
            np.polyval(np.polyfit(machine[0, rest], people[0, rest], 1), machine[0].mean())
            for rest in (np.delete(judged, place) for place in range(size))
        ]
        apart = np.array(left_out) - own.estimate[0]
        error = np.sqrt((1 - 1 / size) * (1 - size / QUERIES) * (apart**2).sum())
        assert bool(own.error[0] == pytest.approx(error)) == jackknife and own.error[0] == pytest.approx(
            error, rel=0.02
        )


def test_of_all_such_queries_the_intervals_hold_at_once_though_people_have_judged_these() -> None:
    people = scores()
    first, second = np.array(list(combinations(range(SYSTEMS), 2))).T
    apart = people[first] - people[second]
    for size in (150, QUERIES):
        own = assisted_means(apart[:, :size], apart, np.arange(size), queries=QUERIES, target="such")
        assert np.sqrt((own.influence**2).sum(axis=1)) == pytest.approx(own.error)
        assert of_all(own.influence) > 2.2, "of one it is 1.96"


def test_all_judged_by_people_leaves_nothing_open() -> None:
    people = scores()
    own = assisted_means(people, judge("hostile", people), np.arange(QUERIES), queries=QUERIES)
    assert own.estimate == pytest.approx(people.mean(axis=1)) and not own.half_width.any()


def test_too_few_people_s_queries_don_t_say_how_far_to_follow_a_machine() -> None:
    people = scores()
    judged = np.arange(FEWEST - 1)
    own = assisted_means(people[:, judged], people, judged, queries=QUERIES)
    assert not own.weight.any() and own.estimate == pytest.approx(people[:, judged].mean(axis=1))
    with pytest.raises(EvaluationError, match="that count: found 1, expected at least 2"):
        assisted_means(people[:, :1], people, judged[:1], queries=QUERIES)


def test_queries_that_don_t_count_are_left_out_of_the_mean() -> None:
    people = scores()
    counts = np.arange(QUERIES) % 3 > 0
    partly = np.where(counts, people, np.nan)
    judged = np.random.default_rng(5).choice(QUERIES, 150, replace=False)
    alone = assisted_means(partly[:, judged], None, judged, queries=QUERIES)
    assert alone.estimate == pytest.approx(np.nanmean(partly[:, judged], axis=1))
    perfect = assisted_means(partly[:, judged], partly, judged, queries=QUERIES)
    assert np.abs(perfect.estimate - np.nanmean(partly, axis=1)).max() < alone.half_width.max() / 2


def test_values_that_are_all_alike_don_t_make_an_interval_of_nothing() -> None:
    zeros = np.zeros((1, 40))
    own = assisted_means(zeros, np.zeros((1, 400)), np.arange(40), queries=400)
    assert own.estimate[0] == 0 and 0.05 < own.half_width[0] < 0.1
    exact = scores()
    own = assisted_means(exact[:, :100], exact, np.arange(100), queries=QUERIES)
    alone = assisted_means(exact[:, :100], None, np.arange(100), queries=QUERIES)
    assert (own.half_width > 0).all() and (own.half_width < alone.half_width).all()


def test_the_largest_t_lies_between_one_estimate_and_bonferroni() -> None:
    rng = np.random.default_rng(3)
    shared = rng.normal(size=(1, 102))
    assert of_all(shared) == pytest.approx(1.9840, abs=1e-3)
    alike = of_all(np.repeat(shared, 10, axis=0) + rng.normal(0, 0.01, (10, 102)))
    apart = of_all(rng.normal(size=(10, 102)))
    assert 1.99 <= alike < 2.2 < apart <= 2.9
    assert of_all(np.zeros((3, 102))) == pytest.approx(1.9840, abs=1e-3)


def test_where_few_queries_count_intervals_hold_too() -> None:
    rng, held = np.random.default_rng(3), 0
    for _ in range(200):
        people = np.where(rng.random(500) < 0.15, rng.random(500) < 0.9, np.nan)
        judged = rng.permutation(500)[:40]
        if np.count_nonzero(~np.isnan(people[judged])) < 2:
            continue
        own = assisted_means(people[None, judged], np.zeros((1, 500)), judged, queries=500)
        assert own.counting < 40 and own.weight[0] == 0, "too few to say how far a machine is to be followed"
        held += not own.low[0] <= np.nanmean(people) <= own.high[0]
    assert held <= 10, "of 200; all alike among 40 that don't count they were taken for 40"
