"""Plans: what they promise comes, a machine saves, and bad questions are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from evaluation.errors import EvaluationError
from evaluation.guarantees.assisted_mean import assisted_means
from evaluation.guarantees.critical_values import of_all
from evaluation.guarantees.kappa import quadratic_kappa
from evaluation.guarantees.plans import Effort, assumed_plan, noise_for, noisy, plan
from evaluation.moments.ground_truth import GroundTruth, JudgedMoment
from evaluation.moments.run import Prediction, Run
from evaluation.pooling.lists import at_depth
from evaluation.scores.scoring import evaluate
from tests.evaluation.files import run_rows, told, truth_rows, write_json, write_lines

MEASURE = "NDCG@5,IoU>=0.5"


def world(queries: int, seed: int) -> tuple[GroundTruth, list[Run]]:
    """Three systems; the first is the better one, by .04 or so."""
    rng = np.random.default_rng(seed)
    grades = rng.binomial(4, rng.beta(1, 1.5, (queries, 1)), (queries, 8)).astype(float)
    truth = GroundTruth.of(
        (f"q{query}", [JudgedMoment(f"v{place}", 0, 10, grade) for place, grade in enumerate(row)])
        for query, row in enumerate(grades.tolist())
    )
    runs = []
    for name, noise in (("good", 1.4), ("worse", 2.0), ("like it", 2.0)):
        score = (grades + rng.normal(0, noise, grades.shape)).tolist()
        answers = (
            (f"q{query}", [Prediction(f"v{place}", 0, 10, value) for place, value in enumerate(row)])
            for query, row in enumerate(score)
        )
        runs.append(Run.of(name, answers))
    return truth, runs


def values(truth: GroundTruth, runs: list[Run]) -> np.ndarray:
    return np.array([record.per_query for record in evaluate(truth, runs, [MEASURE])])


def test_what_is_planned_is_found_as_often_as_it_says() -> None:
    truth, runs = world(4_000, 1)
    first, second = np.array(list(combinations(range(3), 2))).T
    of_all_queries = values(truth, runs)
    apart = of_all_queries[first] - of_all_queries[second]
    pilot, _ = world(150, 1)
    real = float(apart.mean(axis=1)[0])
    # The hardest pair's plan, for the difference that the first pair truly has.
    planned = plan(pilot, world(150, 1)[1], [MEASURE], smallest=real, effort=Effort(8), kappas=(), queries=4_000)
    size = {row.share: row.queries for row in planned.rows}[1.0]
    assert 50 < size < 2_000
    hits = 0
    for seed in range(120):
        judged = np.random.default_rng(seed).choice(4_000, size, replace=False)
        found = assisted_means(apart[:, judged], None, judged, queries=4_000)
        critical = of_all(found.influence, draws=250, seed=seed)
        hits += bool(abs(found.estimate[0]) > critical * found.error[0])
    assert hits / 120 > 0.7, "with a power of .8, by the pair that varies most"


def test_a_machine_saves_the_more_the_better_it_is() -> None:
    pilot, runs = world(300, 2)
    planned = plan(pilot, runs, [MEASURE], smallest=0.03, effort=Effort(20, pay=10), kappas=(0.3, 0.6, 0.9))
    half = [row.queries for row in planned.rows if row.share == 0.5]
    assert half == sorted(half, reverse=True) and half[-1] < 0.8 * half[0]
    for row in planned.rows:
        assert row.hours == pytest.approx(row.queries * 20 * 2.36 * 19 / 3600) and row.cost == pytest.approx(
            10 * row.hours
        )
    few = plan(pilot, runs, [MEASURE], smallest=0.03, effort=Effort(20), kappas=(), queries=400)
    assert few.rows[0].queries < min(400, half[0]), "of these 400 queries alone"
    grades = noisy(pilot, noise_for(pilot, 0.6, np.random.default_rng(0)), np.random.default_rng(0))
    assert quadratic_kappa(pilot.grade, grades) == pytest.approx(0.6, abs=0.02)


def test_bad_questions_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pilot, runs = world(40, 3)
    for smallest, own, kappas, why in (
        (0.0, runs, (), "found the smallest difference 0"),
        (1e-300, runs, (), "found the smallest difference 1e-300, expected one between 0.0001 and 1"),
        (0.02, runs[:1], (), "found 1 and 40, expected at least 2 and 10"),
        (0.02, runs, (0.0,), "found the kappa 0, expected one above 0"),
    ):
        with pytest.raises(EvaluationError, match=why):
            plan(pilot, own, [MEASURE], smallest=smallest, effort=Effort(8), kappas=kappas)
    with pytest.raises(EvaluationError, match="all grades are 2, so no agreement can be imitated"):
        plan(pilot.with_grades(np.full(len(pilot.grade), 2.0)), runs, [MEASURE], smallest=0.02, effort=Effort(8))

    rows = truth_rows(*((f"q{q}", [("v", [0, 10], q % 5), ("w", [0, 10], 1)]) for q in range(30)))
    truth = write_json(tmp_path / "pilot.json", rows)
    systems = [
        write_lines(tmp_path / f"{name}.jsonl", run_rows(*((f"q{q}", [(video, [0, 10], 1)]) for q in range(30))))
        for name, video in (("one", "v"), ("other", "w"))
    ]
    line = ("plan", truth, *systems, "--smallest", "0.05", "--measures", MEASURE)
    out, _ = told(capsys, *line, "--pay", "12")
    for option, value in (
        ("--seconds", "-1"),
        ("--pay", "nan"),
        ("--pairs", "0"),
        ("--seed", "-1"),
        ("--smallest", "2"),
    ):
        with pytest.raises(SystemExit, match="2"):
            told(capsys, *line, option, value)
        assert f"{option}: found '{value}', expected a" in capsys.readouterr().err
    out, _ = told(capsys, *line, "--pay", "12")
    assert "a pilot of 30 queries and 2 runs" in out and "2.0 pairs a query" in out and "kappa 0.8" in out
    data = json.loads(told(capsys, *line, "--json")[0])
    assert data["effort"]["pairs"] == 2 and len(data["rows"]) == 8 and set(data["noise"]) == {"0.4", "0.6", "0.8"}


def test_the_range_is_what_so_few_queries_leave_open_and_a_machine_is_followed_from_twenty_on() -> None:
    pilot, runs = world(30, 4)
    planned = plan(pilot, runs, [MEASURE], smallest=0.05, effort=Effort(8), kappas=(1.0,))
    alone, perfect = planned.rows[:2]
    # Half of the middle 95 % of chi-square with 29 degrees of freedom, by its table: 16.05 and 45.72.
    assert alone.fewest / alone.queries == pytest.approx(29 / 45.72, rel=0.05)
    assert alone.most / alone.queries == pytest.approx(29 / 16.05, rel=0.05)
    assert perfect.queries == perfect.fewest == perfect.most == 20 < alone.queries
    assert 0.03 < planned.half_width[MEASURE] < 0.05
    with pytest.raises(EvaluationError, match="the runs have the same scores on every query"):
        plan(pilot, [runs[0], replace(runs[0], name="again")], [MEASURE], smallest=0.05, effort=Effort(8))


def test_one_judgment_a_pair_takes_more_queries_the_more_single_people_err() -> None:
    pilot, runs = world(200, 5)
    needed = []
    for noise in (0.0, 0.7, 1.5):
        single = pilot.with_grades(noisy(pilot, noise, np.random.default_rng(1)))
        planned = plan(pilot, runs, [MEASURE], smallest=0.03, effort=Effort(8), kappas=(0.8,), single=single)
        by_rule, by_one = ([row for row in planned.rows if row.judgments == number] for number in (2.36, 1.0))
        assert len(by_rule) == len(by_one) == 4 and by_one[1].queries <= by_one[0].queries
        assert by_one[0].hours == pytest.approx(by_one[0].queries * 8 * 19 / 3600)
        needed.append(by_one[0].queries / by_rule[0].queries)
    assert needed[0] == 1 and needed == sorted(needed) and needed[2] > 1.3


def test_a_shallower_pool_has_fewer_pairs() -> None:
    pilot, runs = world(100, 6)
    pairs = [len(at_depth(pilot, runs, depth).grade) / 100 for depth in (1, 3, 8)]
    assert 1 <= pairs[0] <= 3 and pairs == sorted(pairs) and pairs[2] == 8
    kept = at_depth(pilot, runs[:1], 1)
    assert len(kept.grade) == 100 and len(kept) == 100


def test_without_a_pilot_a_plan_is_of_assumed_deviations_with_their_range() -> None:
    found = assumed_plan(MEASURE, 6, smallest=0.02, effort=Effort(20, pay=10), kappas=(0.4, 0.8))
    assert found.pilot == 0 and [row.kappa for row in found.rows] == [None, 0.4, 0.8]
    alone = found.rows[0]
    # ((z(1 - .05 / 30) + z(.8)) .25 / .02)^2 by the table of the normal distribution.
    assert alone.queries == pytest.approx(((2.935 + 0.8416) * 0.25 / 0.02) ** 2, rel=0.002)
    assert alone.fewest == pytest.approx(alone.queries * 0.36, rel=0.01)
    assert alone.most == pytest.approx(alone.queries * 3.24, rel=0.01)
    assert found.rows[2].queries < found.rows[1].queries < alone.queries
    assert found.half_width[MEASURE] == pytest.approx(0.02 * 2.935 / (2.935 + 0.8416), rel=0.001)
    for systems, smallest, kappas in ((1, 0.02, ()), (6, 0.0, ()), (6, 0.02, (1.1,))):
        with pytest.raises(EvaluationError, match="found"):
            assumed_plan(MEASURE, systems, smallest=smallest, effort=Effort(20), kappas=kappas)
