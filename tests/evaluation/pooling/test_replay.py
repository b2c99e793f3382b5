"""Replays count what was found and what it cost; the command prints, draws and refuses."""

from __future__ import annotations

import csv
import json
import math
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from evaluation import EvaluationError, GroundTruth, JudgedMoment, Prediction, Run
from evaluation.pooling.recipes import recipe_named
from evaluation.pooling.replay import replay
from tests.evaluation.files import real_files, run_rows, told, truth_rows, write_json, write_lines


def at(second: int) -> tuple[str, float, float]:
    return "v", float(10 * second), float(10 * second + 8)


TRUTH = GroundTruth.of(
    [
        ("a", [JudgedMoment(*at(0), 3), JudgedMoment(*at(1), 0), JudgedMoment(*at(2), 1), JudgedMoment(*at(9), 4)]),
        ("b", [JudgedMoment(*at(0), 2)]),
    ]
)
RUNS = [
    Run.of("good", [("a", [Prediction(*at(s)) for s in (0, 2, 1)]), ("b", [Prediction(*at(0))])]),
    Run.of("poor", [("a", [Prediction(*at(s)) for s in (5, 1)]), ("b", [Prediction(*at(6)), Prediction(*at(7))])]),
]


def test_a_curve_counts_judgments_and_what_they_found() -> None:
    found = replay(TRUTH, RUNS, [recipe_named("depth")], measure="NDCG@10,IoU>=0.5")
    assert (found.relevant, found.reachable, found.pool, found.unjudged) == (4, 3, 7, 3)
    (depth,) = found.replays
    # a: 0, 5, 2, 1; b: 0, 6, 7.
    assert [(p.per_query, p.judgments, p.found) for p in depth.points] == [(1, 2, 2), (2, 4, 2), (3, 6, 3), (4, 7, 3)]
    assert [p.share for p in depth.points] == pytest.approx([2 / 3, 2 / 3, 1, 1])
    assert [p.share_of_judgments for p in depth.points] == pytest.approx([2 / 7, 4 / 7, 6 / 7, 1])
    assert depth.judgments_for == {0.8: 6, 0.9: 6, 0.95: 6, 0.99: 6}
    assert [p.tau for p in depth.points] == [1.0] * 4


def test_moments_without_a_grade_may_be_left_out() -> None:
    found = replay(TRUTH, RUNS, [recipe_named("depth")], measure="NDCG@10,IoU>=0.5", leave_unjudged_out=True)
    assert (found.pool, found.unjudged) == (4, 3)
    assert [(p.judgments, p.found) for p in found.replays[0].points] == [(2, 2), (3, 2), (4, 3)]


def test_a_recipe_that_stops_early_never_reaches_the_share() -> None:
    found = replay(TRUTH, RUNS[::-1], [recipe_named("paper")], measure="NDCG@10,IoU>=0.5")
    assert found.replays[0].points[-1].found == 0
    assert set(found.replays[0].judgments_for.values()) == {None}


def test_one_system_has_no_order() -> None:
    found = replay(TRUTH, RUNS[:1], [recipe_named("depth")], measure="NDCG@10,IoU>=0.5")
    assert all(math.isnan(point.tau) for point in found.replays[0].points)


def test_nothing_relevant_is_nothing_to_replay() -> None:
    with pytest.raises(EvaluationError, match=r"no run returned a relevant moment .* nothing can be replayed"):
        replay(TRUTH, RUNS[1:], [recipe_named("depth")], measure="NDCG@10,IoU>=0.5")


def test_the_command_prints_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth = write_json(
        tmp_path / "val.json", truth_rows(*((q, [("v", [s, s + 8], g) for s, g in ((0, 3), (20, 0))]) for q in "ab"))
    )
    one = write_lines(tmp_path / "one.jsonl", run_rows(*((q, [("v", [0, 8], 2), ("v", [40, 48], 1)]) for q in "ab")))
    two = write_lines(tmp_path / "two.jsonl", run_rows(("a", [("v", [20, 28], 2)])))
    out, told_apart = told(
        capsys, "pools", truth, one, two, "--figures", tmp_path / "drawn", "--recipes", "rrf", "paper"
    )
    assert "2 runs to depth 100: 2 of these, in a pool of 5 moments" in out
    assert "2 moments of the pool without a grade: each a judgment, and not relevant" in out
    assert "two: 1 of 2 queries had no predictions" in told_apart
    rows = list(csv.DictReader((tmp_path / "drawn" / "pools.csv").open()))
    assert [row["recipe"] for row in rows] == ["rrf", "rrf", "rrf", "paper", "paper"]
    assert rows[0]["found"] == "2"
    ET.parse(tmp_path / "drawn" / "pools.svg")
    out, _ = told(capsys, "pools", truth, one, two, "--json", "--unjudged", "skip")
    assert json.loads(out)["pool"] == 3


def test_bad_input_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth = write_json(tmp_path / "val.json", truth_rows(("a", [("v", [0, 8], 3)])))
    run = write_lines(tmp_path / "one.jsonl", run_rows(("a", [("v", [0, 8], 2)])))
    for arguments, expected in (
        (["--recipes", "best"], "'best' is no recipe"),
        (["--iou", "0"], "found IoU 0, expected a number above 0"),
        (["--relevant", "5"], "no run returned a relevant moment of val.json (grade 5 or more"),
        (["--figures", str(run)], "one.jsonl cannot be written"),
    ):
        _, errors = told(capsys, "pools", truth, run, *arguments, code=2)
        assert expected in errors


def test_real_runs_are_replayed() -> None:
    from evaluation.reading import read_ground_truth, read_run

    folder = real_files("charades_sta")
    truth = read_ground_truth(folder / "test.json")
    runs = [read_run(path) for path in sorted((folder / "runs").iterdir())]
    found = replay(truth, runs, [recipe_named("depth"), recipe_named("rrf")], measure="AxIoU@5", iou=0.7)
    assert (found.relevant, found.reachable, found.pool) == (3720, 3504, 84974)
    for one in found.replays:
        assert one.points[-1].found == found.reachable
        assert one.points[-1].tau == 1
        assert (one.judgments_for[0.95] or 0) < found.pool
