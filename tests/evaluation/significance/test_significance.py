"""Systems told apart: exact tests, Tukey's honestly significant difference, groups, and the command."""

from __future__ import annotations

import csv
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evaluation import EvaluationError
from evaluation.significance import (
    bootstrap_interval,
    effect_sizes,
    holm,
    paired_t_test,
    randomisation_test,
    randomised_tukey,
    stand,
)
from evaluation.significance.resampling import bootstrap_of_pairs, pair_places, randomisation_of_pairs
from evaluation.significance.standings import groups_of
from tests.evaluation.files import run_rows, told, truth_rows, write_json, write_lines

SCORES = st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.5, 0.7, 1.0])
TABLES = st.tuples(st.integers(1, 6), st.integers(2, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=SCORES)
)


def differences_of(values: np.ndarray) -> np.ndarray:
    first, second = pair_places(values.shape[1])
    differences: np.ndarray = values[:, first] - values[:, second]
    return differences


def test_few_queries_are_tested_exactly_as_scipy_does() -> None:
    from scipy import stats

    own = np.array([0.5, -0.1, 0.3, 0.2, 0.4, 0.05, 0.0, 0.1])
    peer = stats.permutation_test((own,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert randomisation_test(own[:, None])[0] == pytest.approx(peer.pvalue, abs=1e-15)
    # By hand: of the eight ways to flip three signs only two reach |1 + 2 + 3|.
    assert randomisation_test(np.array([[1.0], [2.0], [3.0]]))[0] == 2 / 8
    # Sampled where there are more ways than draws: never 0.
    assert randomisation_test(np.ones((40, 1)), draws=999)[0] == 1 / 1000


@settings(deadline=None)
@given(TABLES)
def test_all_pairs_at_once_are_each_pair_alone(values: np.ndarray) -> None:
    differences = differences_of(values)
    for draws in (7, 100):  # sampled and exact
        together = randomisation_of_pairs(values, draws=draws, seed=3)
        assert together.tolist() == randomisation_test(differences, draws=draws, seed=3).tolist()
    low, high = bootstrap_of_pairs(values, draws=50, seed=3)
    alone = bootstrap_interval(differences, draws=50, seed=3)
    assert np.allclose([low, high], alone, atol=1e-12)


def test_the_t_test_and_the_effect_are_scipys() -> None:
    from scipy import stats

    rng = np.random.default_rng(4)
    values = rng.uniform(0, 1, (30, 3))
    values[[2, 5], 1] = np.nan
    differences = differences_of(values)
    first, second = pair_places(3)
    for column, (a, b) in enumerate(zip(first, second, strict=True)):
        peer = stats.ttest_rel(values[:, a], values[:, b], nan_policy="omit")
        assert paired_t_test(differences)[column] == pytest.approx(peer.pvalue, rel=1e-9)
        queries = np.count_nonzero(~np.isnan(differences[:, column]))
        assert effect_sizes(differences)[column] * math.sqrt(queries) == pytest.approx(peer.statistic, rel=1e-9)


def test_what_has_no_scatter_or_a_single_query_has_a_sensible_t_test() -> None:
    same, shifted, alone = np.zeros(3), np.array([0.1, 0.3 - 0.2, 0.1]), np.array([0.1, np.nan, np.nan])
    differences = np.column_stack([same, shifted, alone])
    assert paired_t_test(differences)[:2].tolist() == [1, 0]
    assert effect_sizes(differences)[:2].tolist() == [0, math.inf]
    assert np.isnan([paired_t_test(differences)[2], effect_sizes(differences)[2]]).all()


def test_tukeys_test_agrees_with_every_way_to_shuffle() -> None:
    values = np.array([[0.9, 0.5, 0.4], [0.6, 0.6, 0.1], [0.8, 0.3, 0.2], [0.4, 0.5, 0.3]])
    ways = itertools.product(itertools.permutations(range(3)), repeat=4)
    spans = np.array(
        [np.ptp(sum(row[list(way)] for row, way in zip(values, ways_of, strict=True))) for ways_of in ways]
    )
    observed = np.abs(differences_of(values).sum(axis=0))
    exact = [(spans >= one - 1e-12).mean() for one in observed]
    assert randomised_tukey(values, draws=6_000) == pytest.approx(exact, abs=0.025)


def test_tukeys_test_is_scipys_where_values_are_normal() -> None:
    from scipy import stats

    values = np.random.default_rng(5).normal([0.0, 0.2, 0.45], 1, (120, 3))
    peer = stats.tukey_hsd(*values.T).pvalue
    first, second = pair_places(3)
    assert randomised_tukey(values, draws=3_000) == pytest.approx(peer[first, second], abs=0.03)


@settings(deadline=None)
@given(TABLES, st.floats(-2, 2))
@example(np.array([[0.3, 0.1 + 0.2]]), 0.0)
def test_a_harder_query_changes_nothing_and_two_systems_are_one_pair(values: np.ndarray, shift: float) -> None:
    p_values = randomised_tukey(values, draws=40)
    assert ((p_values > 0) & (p_values <= 1)).all()
    assert randomised_tukey(values + shift, draws=40) == pytest.approx(p_values)
    # The larger the difference, the smaller the p-value.
    observed = np.abs(differences_of(values).sum(axis=0)).round(9)
    order = np.argsort(observed, kind="stable")
    assert (np.diff(p_values[order]) <= 0).all()
    two = values[:, :2]
    assert randomised_tukey(two, draws=40).tolist() == randomisation_test(two[:, :1] - two[:, 1:], draws=40).tolist()


def test_of_systems_that_are_the_same_seldom_any_pair_differs() -> None:
    rng = np.random.default_rng(6)
    corrected = alone = 0
    for _ in range(80):
        values = rng.uniform(0, 1, (15, 6))
        corrected += bool(randomised_tukey(values, draws=200).min() < 0.05)
        alone += bool(randomisation_of_pairs(values, draws=200).min() < 0.05)
    assert corrected <= 10  # 4 are expected, more than 10 come once in 400 times
    assert alone > 20  # fifteen pairs, each tested as if it were the only one


@settings(deadline=None)
@given(TABLES, st.sampled_from([0.05, 0.3, 0.7]))
def test_two_systems_share_a_group_where_they_cannot_be_told_apart(values: np.ndarray, bound: float) -> None:
    names = [f"s{i}" for i in range(values.shape[1])]
    standings = stand(values, names, draws=40, significant=bound)
    groups = {one.system: set(one.groups) for one in standings.systems}
    assert all(groups.values())
    for pair in standings.pairs:
        assert bool(groups[pair.first] & groups[pair.second]) == (pair.tukey >= bound)
        assert pair.difference >= 0
    best = standings.systems[0]
    assert best.place == 1 and best.top
    for one in standings.systems[1:]:
        (against,) = [pair for pair in standings.pairs if (pair.first, pair.second) == (best.system, one.system)]
        assert one.top == (against.tukey >= bound)
        assert one.groups == tuple(range(one.groups[0], one.groups[-1] + 1))


def test_standings_by_hand() -> None:
    values = np.array([[0.9, 0.2, 0.9], [0.8, 0.1, 0.8], [np.nan, 0.5, 0.5], [0.7, 0.3, 0.7]])
    standings = stand(values, ["kite", "raft", "boat"], draws=500)
    assert standings.queries == 3
    assert [(one.system, one.place) for one in standings.systems] == [("kite", 1), ("boat", 1), ("raft", 3)]
    assert standings.systems[0].mean == pytest.approx(0.8)
    kite_boat, kite_raft, _ = standings.pairs
    assert (kite_boat.difference, kite_boat.holm, kite_boat.t_test, kite_boat.effect) == (0, 1, 1, 0)
    assert kite_raft.randomisation == 2 / 8
    assert kite_raft.holm == pytest.approx(holm(np.array([1, 2 / 8, 2 / 8]))[1])
    assert kite_raft.low <= kite_raft.difference <= kite_raft.high
    (alone,) = stand(values[:, :1], ["kite"], draws=100).systems
    assert (alone.place, alone.letters, alone.top) == (1, "a", True)


def test_what_cannot_be_ordered_is_refused() -> None:
    with pytest.raises(EvaluationError, match="no query has a value for every system"):
        stand(np.array([[np.nan, 1.0], [1.0, np.nan]]), ["a", "b"])
    with pytest.raises(EvaluationError, match="2 systems"):
        stand(np.ones((3, 1)), ["a", "b"])


def test_letters_stay_short_where_groups_are_many() -> None:
    values = np.linspace(1, 0, 12) + np.random.default_rng(7).normal(0, 0.05, (40, 12))
    letters = [one.letters for one in stand(values, [f"s{i}" for i in range(12)], draws=400).systems]
    assert letters[0] == "a"
    assert max(map(len, letters)) <= 5
    p_values = np.array([0.5, 0.5, 0.01, 0.5, 0.5, 0.5])
    assert groups_of(p_values, 4) == [(0, 2), (1, 3)]


def test_the_command_orders_runs_and_writes_every_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    queries = range(12)
    truth = write_json(tmp_path / "gt.json", truth_rows(*((i, [("a", [0, 10], 1)]) for i in queries)))
    runs = [
        write_lines(tmp_path / f"{name}.jsonl", run_rows(*((i, [("a", [0, end - i / 9], 1)]) for i in queries)))
        for name, end in (("low", 3), ("high", 10), ("near", 9.9))
    ]
    pairs = tmp_path / "pairs.csv"
    arguments = ("significance", truth, *runs, "--measures", "mIoU", "--draws", 500)
    out, _ = told(capsys, *arguments, "--pairs", pairs)
    assert [line.split()[0] for line in out.splitlines()[-3:]] == ["high", "near", "low"]
    assert "can't tell apart at 0.05" in out
    rows = list(csv.DictReader(pairs.open()))
    assert [(row["first"], row["second"]) for row in rows] == [("high", "near"), ("high", "low"), ("near", "low")]
    out, _ = told(capsys, *arguments, "--json")
    data = json.loads(out)["mIoU"]
    assert (data["queries"], data["systems"][0]["system"], len(data["pairs"])) == (12, "high", 3)
    # What `compare` says of the same pair is the same.
    out, _ = told(capsys, "compare", *arguments[1:], "--json")
    of_pair = {frozenset((one["first"], one["second"])): one["p_value"] for one in json.loads(out)}
    assert {frozenset((one["first"], one["second"])): one["randomisation"] for one in data["pairs"]} == of_pair
    told(capsys, *arguments, "--pairs", tmp_path / "nowhere" / "pairs.csv", code=2)
    told(capsys, "significance", truth, *runs, "--measures", "uAP(video)", code=2)
