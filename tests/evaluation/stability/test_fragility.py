"""How few changed grades flip two runs: as trying all grades says, and within bounds where the search is cut short."""

from __future__ import annotations

import csv
import json
import random
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from evaluation import EvaluationError, GroundTruth, JudgedMoment, Prediction, Run, evaluate
from evaluation.measures import parse_measure
from evaluation.measures.ndcg import NDCG
from evaluation.reading.grade_scale import GradeScale
from evaluation.stability.fragility import GradeMove, fragility, usual_scale
from evaluation.stability.least_total import least_total
from evaluation.stability.ndcg_gain_bound import NdcgGainBound
from evaluation.stability.regrading import Regrading, change_sets, count_of_sets
from tests.evaluation.files import run_rows, told, truth_rows, write_json, write_lines

SCALES = (GradeScale(1), GradeScale(2), GradeScale(4), GradeScale(100, 50), GradeScale(100, 25))
BY_NDCG = ("NDCG@20,IoU>=0.5", "NDCG@2,IoU>0.3", "NDCG(gain=exp)@3,IoU>=0.5", "NDCG(condensed)@2,IoU>=0.3")
OTHERS = (
    *("R@1,IoU>0.5", "mAP,IoU>=0.5", "AxIoU@5", "AxIoU(graded)@3", "DCG(graded)@3", "AP@3,IoU>0.5", "mIoU@3"),
    *("RBP(p=0.8),IoU>=0.5", "Bpref,IoU>=0.5", "Judged@5,IoU>=0.5"),
)

ADDITIVE = ("DCG@3", "DCG(graded)@3", "RBP(p=0.8),IoU>=0.5", "RBP(p=0.5,residual),IoU>0.5")


def world(seed: int, scale: GradeScale, queries: int, moments: int) -> tuple[GroundTruth, list[Run]]:
    """Spans on a coarse grid, so that overlaps tie; queries without moments, with zeros alone, without an answer."""
    rng = random.Random(seed)

    def span() -> tuple[str, float, float]:
        start = rng.randrange(8)
        return rng.choice("ab"), start / 2, (start + rng.randrange(1, 6)) / 2

    judged = []
    for number in range(queries):
        grades = [0] if rng.random() < 0.2 else list(scale.grades)
        own = [JudgedMoment(*span(), rng.choice(grades)) for _ in range(rng.randrange(moments + 1))]
        judged.append((f"q{number}", own))
    runs = []
    for name in ("one", "two"):
        rows = []
        for query, own in judged:
            found = [Prediction("c", 0, 1)] if not own else []
            for _ in range(rng.randrange(5)):
                near = rng.choice(own) if own and rng.random() < 0.7 else JudgedMoment(*span(), 0)
                found.append(Prediction(near.video_name, near.start, near.end))
            if rng.random() > 0.1 or query == "q0":
                rows.append((query, found))
        runs.append(Run.of(name, rows))
    return GroundTruth.of(judged), runs


def means(truth: GroundTruth, runs: list[Run], measure: str) -> list[float]:
    values = [record.per_query for record in evaluate(truth, runs, [measure])]
    return [float(np.nan_to_num(each).mean()) for each in values if each is not None]


def by_trying_all(truth: GroundTruth, runs: list[Run], measure: str, scale: GradeScale) -> int | None:
    """The least number of changed grades after which the other run is ahead; 0 for a tie, None if there is none."""
    one, two = means(truth, runs, measure)
    if abs(one - two) <= 1e-9:
        return 0
    for count in range(1, len(truth.grade) + 1):
        for places in combinations(range(len(truth.grade)), count):
            others = [[grade for grade in scale.grades if grade != truth.grade[place]] for place in places]
            for grades in product(*others):
                changed = truth.grade.copy()
                changed[list(places)] = grades
                first, second = means(truth.with_grades(changed), runs, measure)
                if (second - first if one > two else first - second) > 1e-9:
                    return count
    return None


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 600), marks=pytest.mark.long)])
def test_a_search_to_the_end_is_exact_and_a_shorter_one_has_bounds_around_it(seeds: range) -> None:
    wanted, cut = [], 0
    for seed in seeds:
        rng = random.Random(seed)
        scale, measure = rng.choice(SCALES), rng.choice(rng.choice((BY_NDCG, OTHERS)))
        if scale.top == 100 and "exp" in measure:
            continue
        truth, runs = world(seed, scale, rng.randrange(1, 4), 4)
        if len(scale.grades) ** len(truth.grade) > 1000:
            continue
        expected = by_trying_all(truth, runs, measure, scale)
        wanted.append(expected)
        for budget in (1_000_000, 30, 0) if expected != 0 else (0,):
            (found,) = fragility(truth, runs, measure=measure, scale=scale, budget=budget).pairs
            case = (seed, measure, budget, found)
            if budget == 1_000_000 or found.exact:
                assert found.exact and found.low == expected, case
            elif expected is None:
                assert found.low is not None and found.high is None, case
            else:
                assert found.low is not None and found.low <= expected, case
                assert found.high is None or expected <= found.high, case
            cut += not found.exact
    assert {None, 0, 1, 2} <= set(wanted) and cut


def test_by_a_sum_over_moments_that_are_apart_the_least_number_is_known_without_a_search() -> None:
    wanted = []
    for seed in range(60):
        rng = random.Random(seed)
        scale, measure = rng.choice(SCALES[:3]), rng.choice(ADDITIVE)
        grades = [[rng.choice(scale.grades) for _ in range(rng.randrange(1, 4))] for _ in range(2)]
        if len(scale.grades) ** sum(map(len, grades)) > 3_200:
            continue
        judged = [
            (f"q{query}", [JudgedMoment(f"v{place}", 0, 5, grade) for place, grade in enumerate(own)])
            for query, own in enumerate(grades)
        ]
        runs = [
            Run.of(
                name,
                (
                    (query, [Prediction(m.video_name, rng.randrange(3), 5) for m in rng.sample(own, len(own))])
                    for query, own in judged
                ),
            )
            for name in ("one", "two")
        ]
        truth = GroundTruth.of(judged)
        (found,) = fragility(truth, runs, measure=measure, scale=scale, budget=0).pairs
        wanted.append(by_trying_all(truth, runs, measure, scale))
        assert found.exact and found.low == found.high == wanted[-1], (seed, measure, found)
    assert {0, 1, 2, 3} <= set(wanted)


def test_no_grades_leave_less_than_the_bound_of_ndcg_says() -> None:
    tight = []
    for seed in range(200):
        rng = random.Random(seed)
        scale, measure = rng.choice(SCALES[:4]), parse_measure(rng.choice((BY_NDCG[0], BY_NDCG[1], BY_NDCG[3])))
        assert isinstance(measure, NDCG)
        truth, runs = world(seed, scale, 1, 6)
        size = len(truth.grade)
        if not 0 < len(scale.grades) ** size <= 5_000:
            continue
        every = np.array([truth.grade.tolist(), *product(scale.grades, repeat=size)], dtype=np.float64)
        values = Regrading(truth, runs, measure).values(np.zeros(len(every), dtype=np.int64), every.reshape(-1))
        difference, changed = values[:, 0] - values[:, 1], (every != truth.grade).sum(axis=1)
        bounds = NdcgGainBound.of(truth, runs, measure, top_grade=scale.top)
        (least,) = bounds.least_difference(0, 1, difference[:1], min(size, 7))
        for count, bound in enumerate(least.tolist()):
            true = difference[changed <= count].min()
            assert bound <= true + 1e-9, (seed, measure, count)
            tight.append(true - bound < 1e-9)
    assert np.mean(tight) > 0.8


def test_the_flip_that_is_told_flips_and_no_grade_off_the_scale_is_needed() -> None:
    scale = GradeScale(4)
    for seed in range(6):
        truth, runs = world(1000 + seed, scale, 40, 9)
        (found,) = fragility(truth, runs, scale=scale, budget=2_000).pairs
        assert found.high is None or (found.low or 0) <= found.high
        assert found.queries <= (found.high or 0)
        (closer,) = fragility(truth, runs, scale=scale, budget=20_000).pairs
        assert (closer.low or 0) >= (found.low or 0)
        assert found.high is None or (closer.high is not None and closer.high <= found.high)


def test_how_far_each_grade_moves_each_run_is_what_scoring_says(tmp_path: Path) -> None:
    scale, measure = GradeScale(4), BY_NDCG[0]
    truth, runs = world(5, scale, 4, 6)
    before = means(truth, runs, measure)
    moves: list[GradeMove] = []
    found = fragility(truth, runs, measure=measure, scale=scale, most=3, every=moves.append)
    assert len(moves) == len(truth.grade) == found.judged
    for place, own in enumerate(moves):
        assert own.grade == truth.grade[place]
        changes = []
        for grade in scale.grades:
            changed = truth.grade.copy()
            changed[place] = grade
            changes.append(np.array(means(truth.with_grades(changed), runs, measure)) - before)
        largest = np.abs(changes).max(axis=0)
        assert np.abs(list(own.moves.values())) == pytest.approx(largest)
        assert abs(own.moved) == pytest.approx(largest.max())
        assert any(np.isclose(change, list(own.moves.values())).any() for change in changes)
    best = sorted((abs(own.moved) for own in moves), reverse=True)[:3]
    assert [abs(own.moved) for own in found.moving] == pytest.approx(best)


def test_the_least_total_is_that_of_trying_all_numbers() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        gain = np.round(rng.random((rng.integers(1, 5), rng.integers(2, 5))) * rng.integers(0, 2), 2).cumsum(axis=1)
        gain[:, 0] = 0.0
        enough = round(float(rng.random() * (gain[:, -1].sum() + 0.1)), 2) + 0.001
        choices = product(range(gain.shape[1]), repeat=len(gain))
        rows = np.arange(len(gain))
        totals = [sum(choice) for choice in choices if gain[rows, list(choice)].sum() > enough]
        found = least_total(gain, enough)
        assert (found.total if found else None) == min(totals, default=None)
        if found:
            assert gain[rows, found.of_query].sum() > enough and found.of_query.sum() == found.total


def test_every_set_of_changes_is_tried_but_for_swaps_of_moments_that_are_alike() -> None:
    rng = random.Random(4)
    for _ in range(40):
        size, count, grades = rng.randrange(1, 6), rng.randrange(1, 4), list(range(rng.randrange(2, 4)))
        grade = np.array([rng.choice(grades) for _ in range(size)], dtype=np.float64)
        alike = [rng.random() < 0.6 for _ in range(size)]
        sets = list(change_sets(range(size), grade, alike, count, grades))

        def told_apart(changes: tuple[tuple[int, float], ...]) -> tuple[object, ...]:
            own = [((grade[m] if alike[m] else f"moment {m}"), new) for m, new in changes]  # noqa: B023 used at once
            return tuple(sorted(map(str, own)))

        every = {
            told_apart(tuple(zip(places, new, strict=True)))
            for places in combinations(range(size), count)
            for new in product(grades, repeat=count)
            if all(grade[place] != each for place, each in zip(places, new, strict=True))
        }
        assert len(sets) == len(every) and {told_apart(each) for each in sets} == every
        groups = [sum(a and g == own for a, g in zip(alike, grade, strict=True)) for own in grades]
        assert count_of_sets(alike.count(False), [g for g in groups if g], count, len(grades) - 1) == len(sets)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    truth = write_json(
        tmp_path / "truth.json",
        truth_rows(("q", [("v", [0, 5], 2), ("v", [5, 9], 1)]), ("p", [("v", [0, 5], 4), ("w", [0, 5], 0)])),
    )
    one = run_rows(("q", [("v", [0, 5], 2), ("v", [5, 9], 1)]), ("p", [("v", [0, 5], 1)]))
    two = run_rows(("q", [("v", [5, 9], 2), ("v", [0, 5], 1)]), ("p", [("v", [0, 5], 1)]))
    return [truth, write_lines(tmp_path / "one.jsonl", one), write_lines(tmp_path / "two.jsonl", two)]


def test_the_command_tells_pairs_and_grades_in_every_form(
    files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = told(capsys, "fragility", *files)
    assert "a whole number from 0 to 4" in out and "exact of 1 of 1 pair of runs" in out
    row = next(line for line in out.splitlines() if line.startswith("one / two"))
    assert row.split()[4:] == ["1", "1", "yes", "1"]
    out, _ = told(capsys, "fragility", *files, "--json", "--measures", "R@1,IoU>0.5", BY_NDCG[0])
    found = json.loads(out)
    assert list(found) == ["R@1,IoU>0.5", BY_NDCG[0]]
    tied = found["R@1,IoU>0.5"]["pairs"][0]
    assert (tied["low"], tied["high"], tied["exact"]) == (0, 0, True)
    assert found[BY_NDCG[0]]["pairs"][0]["low"] == 1 and found[BY_NDCG[0]]["moving"][0]["moved"] == -0.5
    out, _ = told(capsys, "fragility", *files, "--output", "csv", "--grades", tmp_path / "grades.csv")
    assert f'"Least changed grades that flip two runs by {BY_NDCG[0]}",one / two,at least,1\n' in out
    with (tmp_path / "grades.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["relevance"] for row in rows] == ["2", "1", "4", "0"] and float(rows[1]["one"]) < 0
    assert told(capsys, "fragility", *files, "--output", "markdown")[0].startswith("## Least changed grades")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--measures", "uAP(video)"], "expected one such as NDCG@20,IoU>=0.5"),
        (["--measures", "NDCG(low)@5,IoU>=0.5"], "doesn't follow from that query's judged moments alone"),
        (["--measures", "nonsense"], "'nonsense' is not a known measure"),
        (["--top-grade", "3"], "found the grade 4, expected at most 3"),
        (["--step", "3"], "found a scale from 0 to 4 in steps of 3"),
    ],
)
def test_bad_input_is_a_sentence(
    more: list[str], sentence: str, files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert sentence in told(capsys, "fragility", *files, *more, code=2)[1]


def test_one_run_has_no_order_and_the_usual_scale_is_the_smallest_that_has_the_grades(files: list[Path]) -> None:
    truth, runs = world(1, GradeScale(4), 2, 3)
    with pytest.raises(EvaluationError, match="expected two or more"):
        fragility(truth, runs[:1])
    graded = [GroundTruth.of([("q", [JudgedMoment("v", 0, 1, grade)])]) for grade in (0, 1, 2.5, 4, 5)]
    assert [usual_scale(each).top for each in graded] == [1, 1, 3, 4, 100]
    with pytest.raises(EvaluationError, match="found the grade 101"):
        usual_scale(GroundTruth.of([("q", [JudgedMoment("v", 0, 1, 101)])]))
