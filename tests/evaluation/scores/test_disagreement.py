"""Intervals of scores that have the annotators' disagreement in them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from evaluation.reading import read_ground_truth, read_run
from evaluation.reading.posteriors import posteriors_for
from evaluation.scores.conventions import convention_named
from evaluation.scores.disagreement import ScoreInterval, score_intervals
from tests.evaluation.files import run_rows, told, write_json, write_lines

MEASURE = "NDCG@5,IoU>=0.5"
QUERIES = 40
HEADER = "pair_id,p0,p1,p2,p3,p4,model\n"


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Forty queries with two moments each, of grade 3 and 1; one run finds the better one first, in half of them."""
    rng = np.random.default_rng(4)
    truth, run = [], []
    for query in range(QUERIES):
        moments = [("v", [0.0, 5.0], 3), ("v", [10.0, 15.0], 1)]
        truth.append(
            {
                "query_id": query,
                "relevant_moment": [
                    {"pair_id": 2 * query + n, "video_name": v, "timestamp": t, "relevance": g}
                    for n, (v, t, g) in enumerate(moments)
                ],
            }
        )
        found = moments if rng.random() < 0.5 else moments[::-1]
        run.append((query, [(v, t, 1 / place) for place, (v, t, _) in enumerate(found, start=1)]))
    write_json(tmp_path / "truth.json", truth)
    write_lines(tmp_path / "half.jsonl", run_rows(*run))
    return tmp_path


def posteriors(path: Path, better: str, worse: str) -> Path:
    rows = [f"{pair},{worse if pair % 2 else better},dawid-skene\n" for pair in range(2 * QUERIES)]
    others = [f"{pair},1,0,0,0,0,multinomial\n" for pair in range(2 * QUERIES)]
    path.write_text(HEADER + "".join(rows + others))
    return path


def intervals(world: Path, better: str, worse: str, draws: int = 300, seed: int = 0) -> ScoreInterval:
    truth, run = read_ground_truth(world / "truth.json"), read_run(world / "half.jsonl")
    chances = posteriors_for(truth, posteriors(world / "p.csv", better, worse))
    paper = convention_named("paper")
    (found,) = score_intervals(truth, [run], [MEASURE], chances, convention=paper, draws=draws, seed=seed)
    return found


def test_grades_that_nobody_doubts_leave_the_queries_interval_alone(world: Path) -> None:
    sure = intervals(world, "0,0,0,1,0", "0,1,0,0,0")
    assert sure.grades_only[0] == pytest.approx(sure.grades_only[1]) == pytest.approx(sure.expected)
    assert sure.low < sure.expected < sure.high


def test_doubt_widens_the_interval_and_is_told_by_itself(world: Path) -> None:
    sure, unsure = intervals(world, "0,0,0,1,0", "0,1,0,0,0"), intervals(world, "0,.25,.25,.25,.25", "0,.5,0,.5,0")
    assert unsure.grades_only[0] < unsure.expected < unsure.grades_only[1]
    assert unsure.low < unsure.grades_only[0] and unsure.grades_only[1] < unsure.high, "queries are a sample, too"
    assert intervals(world, "0,0,0,1,0", "0,1,0,0,0") == sure, "the same seed, the same figures"
    assert intervals(world, "0,0,0,1,0", "0,1,0,0,0", seed=1) != sure


def test_the_share_of_each_grade_is_that_of_its_posterior(world: Path) -> None:
    """One query whose only moment the run finds: NDCG is 1 where it is relevant and 0 where it isn't."""
    write_json(
        world / "truth.json",
        [{"query_id": 0, "relevant_moment": [{"pair_id": 0, "video_name": "v", "timestamp": [0, 5], "relevance": 3}]}],
    )
    write_lines(world / "half.jsonl", run_rows((0, [("v", [0, 5], 1.0)])))
    found = intervals(world, ".3,0,0,.7,0", "1,0,0,0,0", draws=4000)
    assert found.expected == pytest.approx(0.7, abs=0.03)


def test_the_command_says_them_beside_the_scores(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = posteriors(world / "p.csv", "0,0,.2,.8,0", "0,1,0,0,0")
    asked = ["score", world / "truth.json", world / "half.jsonl", "--measures", MEASURE, "R@1,IoU>0.5"]
    plain = json.loads(told(capsys, *asked, "--json")[0])
    both = json.loads(told(capsys, *asked, "--posteriors", path, "--draws", 50, "--json")[0])
    assert {name: own["value"] for name, own in both["half"].items()} == plain["half"]
    assert both["half"][MEASURE]["low"] < plain["half"][MEASURE] < both["half"][MEASURE]["high"]
    printed, errors = told(capsys, *asked, "--posteriors", path, "--draws", 50)
    assert "95 % intervals where grades are as likely as p.csv says (50 draws, seed 0)" in printed and not errors
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    assert "79 of 80 moments without one keep their grade" in told(capsys, *asked, "--posteriors", path)[1]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("pair_id,p0,p1\n1,1,0\n", "p.csv, line 1: found no column p2, expected the columns pair_id, p0"),
        (HEADER + "1,.5,.2,0,0,0,dawid-skene\n", "p.csv, line 2: found ['.5', '.2', '0', '0', '0'], expected prob"),
        (HEADER + "1,nan,.2,0,0,0,dawid-skene\n", "expected probabilities whose sum is 1"),
        (HEADER + "1,x,.2,0,0,0,dawid-skene\n", "expected probabilities whose sum is 1"),
        (HEADER + 2 * "1,1,0,0,0,0,dawid-skene\n", "line 3: found pair_id '1' a second time, expected each pair once"),
        (HEADER + "1,1,0\n", "line 2: found 3 columns"),
        (HEADER + "999,1,0,0,0,0,dawid-skene\n", "found no pair of truth.json, expected posteriors of the same"),
        (HEADER, "found no pair of truth.json"),
        ("", "found no column pair_id"),
    ],
)
def test_a_file_that_is_none_is_told_by_line(
    world: Path, capsys: pytest.CaptureFixture[str], content: str, problem: str
) -> None:
    (world / "p.csv").write_text(content)
    _, errors = told(
        capsys, "score", world / "truth.json", world / "half.jsonl", "--posteriors", world / "p.csv", code=2
    )
    assert problem in errors


def test_what_has_no_interval_is_refused(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = posteriors(world / "p.csv", "0,0,0,1,0", "0,1,0,0,0")
    asked = ["score", world / "truth.json", world / "half.jsonl", "--posteriors", path]
    _, errors = told(capsys, *asked, "--measures", "uAP,IoU>=0.5", code=2)
    assert "has no value per query, so it has no interval by posteriors" in errors
    _, errors = told(capsys, *asked, "--seeds", code=2)
    assert "leave --seeds out" in errors
