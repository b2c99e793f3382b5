"""Differences between runs, and how sure they are."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import EvaluationError, GroundTruth, JudgedMoment, Prediction, Run
from evaluation.significance import bootstrap_interval, holm, queries_needed, randomisation_test
from evaluation.significance.comparison import compare
from tests.evaluation.files import run_rows, told, truth_rows, write_json, write_lines


def test_the_randomisation_test_agrees_with_all_sign_flips() -> None:
    differences = np.array([0.5, -0.1, 0.3, 0.2, 0.4, 0.05, 0.0, 0.1])
    flips = itertools.product((-1, 1), repeat=len(differences))
    observed = abs(differences.sum())
    exact = np.mean([abs(np.dot(signs, differences)) >= observed - 1e-12 for signs in flips])
    (p,) = randomisation_test(differences[:, None], draws=20_000)
    assert p == pytest.approx(exact, abs=0.01)


def test_equal_runs_have_p_1_and_opposite_ones_agree() -> None:
    rng = np.random.default_rng(0)
    own = rng.normal(0.1, 1, (50, 1))
    p = randomisation_test(np.hstack([np.zeros((50, 1)), own, -own]), draws=2_000)
    assert p[0] == 1
    assert p[1] == p[2]
    assert 0 < p[1] < 1


def test_the_bootstrap_interval_is_the_normal_one_for_many_queries() -> None:
    own = np.random.default_rng(1).normal(0.3, 1, (2_000, 1))
    low, high = bootstrap_interval(own, draws=4_000)
    half = 1.96 * own.std() / math.sqrt(2_000)
    assert low[0] == pytest.approx(own.mean() - half, abs=0.005)
    assert high[0] == pytest.approx(own.mean() + half, abs=0.005)


def test_queries_that_do_not_count_are_left_out() -> None:
    own = np.array([[1.0], [np.nan], [1.0], [1.0]])
    low, high = bootstrap_interval(own, draws=500)
    assert (low[0], high[0]) == (1, 1)


@settings(deadline=None)
@given(st.lists(st.floats(0.0001, 1), min_size=1, max_size=8))
def test_holm_is_scipys_idea_of_stepping_down(p_values: list[float]) -> None:
    corrected = holm(np.array(p_values))
    order = np.argsort(p_values, kind="stable")
    worst = 0.0
    for step, place in enumerate(order):
        worst = max(worst, min(1.0, p_values[place] * (len(p_values) - step)))
        assert corrected[place] == pytest.approx(worst)
    assert (corrected >= np.array(p_values)).all()


def test_the_queries_needed_find_the_difference_as_often_as_they_promise() -> None:
    from scipy import stats

    n = int(queries_needed(0.2, 1.0))
    rng = np.random.default_rng(2)
    samples = rng.normal(0.2, 1.0, (3_000, n))
    found = stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.03)
    assert queries_needed(0.0, 1.0) == math.inf
    assert queries_needed(5.0, 0.0) == 2


TRUTH = GroundTruth.of([(f"q{i}", [JudgedMoment("v", 0, 10, 1)]) for i in range(6)])


def run_of(name: str, ends: dict[int, float]) -> Run:
    return Run.of(name, [(f"q{i}", [Prediction("v", 0, end)]) for i, end in ends.items()])


def test_a_comparison_by_hand() -> None:
    a = run_of("a", {0: 10, 1: 10, 2: 5, 3: 5, 4: 2, 5: 1})
    b = run_of("b", {0: 5, 1: 10, 2: 5, 3: 8, 4: 1})
    (result,) = compare(TRUTH, [a, b], ["mIoU"], draws=500)
    assert (result.wins, result.losses, result.ties, result.queries) == (3, 1, 2, 6)
    assert result.difference == pytest.approx((0.5 - 0.3 + 0.1 + 0.1) / 6)
    assert result.first_mean - result.second_mean == pytest.approx(result.difference)
    assert result.low < result.difference < result.high


def test_under_released_only_common_queries_are_compared() -> None:
    a, b = run_of("a", {0: 10, 1: 10, 2: 5}), run_of("b", {1: 5, 2: 5, 3: 9})
    (result,) = compare(TRUTH, [a, b], ["mIoU"], convention="released", draws=200)
    assert (result.queries, result.difference) == (2, 0.25)
    with pytest.raises(EvaluationError, match="no query with a value of mIoU in common"):
        compare(TRUTH, [a, run_of("c", {4: 5})], ["mIoU"], convention="released", draws=200)


def test_every_pair_and_measure_is_corrected_together() -> None:
    runs = [run_of(name, {i: end for i in range(6)}) for name, end in (("a", 9.0), ("b", 8.0), ("c", 7.0))]
    results = compare(TRUTH, runs, ["mIoU", "AxIoU@3"], draws=999)
    assert len(results) == 6
    assert [r.corrected for r in results] == holm(np.array([r.p_value for r in results])).tolist()


def test_what_cannot_be_compared_is_refused() -> None:
    a = run_of("a", {0: 10})
    with pytest.raises(EvaluationError, match="at least two runs"):
        compare(TRUTH, [a], ["mIoU"])
    scored = Run.of("scored", [("q0", [Prediction("v", 0, 10, 1.0)])])
    with pytest.raises(EvaluationError, match="has no value per query"):
        compare(TRUTH, [scored, Run.of("other", [("q1", [Prediction("v", 0, 10, 1.0)])])], ["uAP(video)"])


def test_the_command_prints_a_table_or_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth = write_json(tmp_path / "gt.json", truth_rows((1, [("a", [0, 10], 1)]), (2, [("a", [0, 10], 1)])))
    one = write_lines(tmp_path / "one.jsonl", run_rows((1, [("a", [0, 10], 1)]), (2, [("a", [0, 9], 1)])))
    two = write_lines(tmp_path / "two.jsonl", run_rows((1, [("a", [0, 5], 1)])))
    out, _ = told(capsys, "compare", truth, one, two, "--measures", "mIoU", "--draws", 200, "--json")
    (result,) = json.loads(out)
    assert (result["first"], result["second"], result["wins"]) == ("one", "two", 2)
    out, _ = told(capsys, "compare", truth, one, two, "--measures", "mIoU", "--draws", 200)
    assert "+0.7000" in out
    assert "Holm over 1 comparison;" in out
    told(capsys, "compare", truth, one, code=2)
    told(capsys, "compare", truth, one, one, code=2)
