"""The certificate leaves out what one run or one team alone returned, and says what that does."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from evaluation import EvaluationError, GroundTruth, JudgedMoment, Prediction, Run, evaluate
from evaluation.pooling.certificate import AtDepth, Certificate, certify
from evaluation.pooling.next_judgments import FusedPool, estimate_next
from tests.evaluation.files import run_rows, told, truth_rows, write_json, write_lines

MEASURE = "NDCG@10,IoU>=0.5"


def moment(place: int) -> tuple[str, float, float]:
    return "v", float(10 * place), float(10 * place + 8)


def run(name: str, *answers: tuple[str, list[int]]) -> Run:
    return Run.of(
        name,
        ((query, [Prediction(*moment(p), score=-i) for i, p in enumerate(places)]) for query, places in answers),
    )


TRUTH = GroundTruth.of(
    [
        ("a", [JudgedMoment(*moment(0), 4), JudgedMoment(*moment(1), 0), JudgedMoment(*moment(2), 3)]),
        ("b", [JudgedMoment(*moment(0), 2), JudgedMoment(*moment(5), 4), JudgedMoment(*moment(9), 1)]),
    ]
)
ONE = run("one", ("a", [0, 1]), ("b", [0, 7]))
TWO = run("two", ("a", [1, 0]), ("b", [7, 0]))
ALONE = run("alone", ("a", [2, 8]), ("b", [5]))


@pytest.fixture(scope="module")
def found() -> Certificate:
    return certify(TRUTH, [ONE, TWO, ALONE], measure=MEASURE, teams={"one": "first", "two": "first"}, draws=50)


def test_what_a_run_alone_returned_is_taken_away(found: Certificate) -> None:
    without = {one.name: one for one in found.without_run}
    assert [(one.removed, one.relevant) for one in found.without_run] == [(0, 0), (0, 0), (2, 2)]
    assert (without["one"].tau, without["one"].ranks_lost, without["one"].score_lost) == (1.0, 0, 0.0)
    assert without["alone"].score_lost == 1.0  # nothing that it returned is judged then
    kept = np.where(np.isin(TRUTH.grade, [3.0]) | (TRUTH.start == 50), np.nan, TRUTH.grade)
    scores = [record.value for record in evaluate(TRUTH.with_grades(kept), [ONE, TWO, ALONE], [MEASURE])]
    before = [record.value for record in evaluate(TRUTH, [ONE, TWO, ALONE], [MEASURE])]
    assert without["alone"].ranks_lost == sum(s > scores[2] for s in scores) - sum(s > before[2] for s in before)


def test_a_team_is_left_out_with_all_its_runs(found: Certificate) -> None:
    assert [(one.name, one.runs, one.relevant) for one in found.without_team] == [
        ("first", ("one", "two"), 2),
        ("alone", ("alone",), 2),
    ]


def test_unjudged_shares_unique_moments_and_the_pool_by_depth(found: Certificate) -> None:
    assert [one.unjudged[0] for one in found.runs] == [1 / 4, 1 / 4, 1 / 3]
    assert [one.unique for one in found.runs] == [0, 0, 2]
    assert (found.relevant, found.elsewhere, found.single_share) == (5, 1, 0.5)
    assert found.depths[0] == AtDepth(1, 6, 5, 4)
    assert found.depths[-1] == AtDepth(100, 7, 5, 4)


def test_the_interval_holds_the_figure_and_a_seed_repeats_it(found: Certificate) -> None:
    again = certify(TRUTH, [ONE, TWO, ALONE], measure=MEASURE, teams={"one": "first", "two": "first"}, draws=50)
    assert again == found
    for one in (*found.without_run, *found.without_team):
        assert one.low <= one.tau <= one.high


def test_the_advice_follows_the_figures() -> None:
    whole = GroundTruth.of((f"q{i}", [JudgedMoment(*moment(p), 4 - p) for p in range(4)]) for i in range(5))
    steady = [
        run(f"r{n}", *((f"q{i}", order) for i in range(5))) for n, order in enumerate(([0, 1, 2], [1, 0, 2], [2, 1, 0]))
    ]
    assert certify(whole, steady, measure=MEASURE, draws=20).advice.startswith(
        "Systems that had no part in the pool can"
    )
    doubtful = [*steady[:2], run("new", *((f"q{i}", [2, 30, 31]) for i in range(5)))]
    told_so = certify(whole, doubtful, measure=MEASURE, draws=20).advice
    assert "up to 67% of a system's first 10 are unjudged" in told_so
    assert certify(TRUTH, [ONE, TWO, ALONE], measure=MEASURE, draws=20).advice.startswith(
        "Only the systems that are here"
    )
    assert (
        "all tied"
        in certify(whole, [steady[0], run("same", *((f"q{i}", [0, 1, 2]) for i in range(5)))], measure=MEASURE).advice
    )


def test_the_next_judgments_find_what_judged_ones_of_their_rank_were() -> None:
    rng = np.random.default_rng(5)
    fused = rng.uniform(0.001, 0.05, 4000)
    relevant = rng.random(4000) < fused / 0.05
    judged = np.arange(4000) < 2000
    pool = FusedPool(np.repeat(np.arange(400), 10), fused, judged, relevant & judged)
    expected = estimate_next(pool, more=1000, draws=100)
    best = np.argsort(-np.where(judged, 0, fused))[:1000]
    assert (expected.judgments, expected.left) == (1000, 2000)
    assert expected.low < relevant[best].sum() < expected.high
    assert expected.low < expected.found < expected.high
    # Scores on another scale of the logarithm say the same: the prior knows them by their spread.
    stretched = FusedPool(pool.query, fused**2, judged, pool.relevant)
    assert estimate_next(stretched, more=1000, draws=2).found == pytest.approx(expected.found)


def test_nothing_to_learn_from_is_no_estimate() -> None:
    pool = FusedPool(
        np.zeros(3, dtype=np.int64), np.ones(3), np.array([True, True, False]), np.array([True, True, False])
    )
    assert math.isnan(estimate_next(pool, more=10).found)


def test_the_command_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth = write_json(
        tmp_path / "val.json", truth_rows(*((q, [("v", [s, s + 8], g) for s, g in ((0, 3), (20, 0))]) for q in "ab"))
    )
    one = write_lines(tmp_path / "one.jsonl", run_rows(*((q, [("v", [0, 8], 2), ("v", [40, 48], 1)]) for q in "ab")))
    two = write_lines(tmp_path / "two.jsonl", run_rows(("a", [("v", [20, 28], 2)])))
    teams = tmp_path / "teams.csv"
    teams.write_text("run,team\none,Ours\ntwo,Theirs\n")
    out, _ = told(
        capsys, "certificate", truth, one, two, "--teams", teams, "--figures", tmp_path / "drawn", "--draws", "20"
    )
    assert "without team" in out and "Theirs" in out
    assert "2 moments of the pool are unjudged. Another 2 judgments would likely find" in out
    assert (tmp_path / "drawn" / "certificate.txt").read_text() == out
    assert json.loads((tmp_path / "drawn" / "certificate.json").read_text())["relevant"] == 2
    ET.parse(tmp_path / "drawn" / "certificate.svg")
    out, _ = told(capsys, "certificate", truth, one, two, "--json", "--draws", "20")
    assert json.loads(out)["without_team"][0]["name"] == "one"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one,A\none,B\n", "line 2: found run 'one' a second time, expected each run once"),
        ("run,team\none\n", "line 2: found 'one', expected run,team"),
        ("three,A\n", "a team is named for 'three', and there is no such run among one, two"),
    ],
)
def test_a_bad_list_of_teams_is_said(
    text: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth = write_json(tmp_path / "val.json", truth_rows(("a", [("v", [0, 8], 3)])))
    runs = [write_lines(tmp_path / f"{name}.jsonl", run_rows(("a", [("v", [0, 8], 2)]))) for name in ("one", "two")]
    (tmp_path / "teams.csv").write_text(text)
    _, errors = told(capsys, "certificate", truth, *runs, "--teams", tmp_path / "teams.csv", code=2)
    assert expected in errors


def test_what_makes_no_certificate_is_said() -> None:
    with pytest.raises(EvaluationError, match="found one run, expected two or more"):
        certify(TRUTH, [ONE], measure=MEASURE)
    with pytest.raises(EvaluationError, match="has no value of a single query"):
        certify(TRUTH, [ONE, TWO], measure="uAP,IoU>=0.5")
