"""``audit`` by another rule than the paper's, on another scale, with grades that a table maps."""

from pathlib import Path

import pytest

from evaluation.errors import EvaluationError
from evaluation.reading import read_ground_truth, read_run
from evaluation.scores.scoring import evaluate
from tests.evaluation.files import run_rows, told, truth_rows, write_lines
from tests.evaluation.judgments.test_audit import audited, write_judgments

HUNDRED = [("p1", "a", 90), ("p1", "b", 20), ("p1", "c", 100), ("p2", "a", 0), ("p2", "b", 10), ("p2", "c", 0)]
MEDIAN = ("--rule", "median", "--first-round", 3, "--second-round", 0)


def test_a_median_of_three_on_0_to_100(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_judgments(tmp_path / "a.csv", HUNDRED)
    found = audited(capsys, path, "--top-grade", 100, "--step", 10, *MEDIAN)
    assert (found["graded"], found["open"], found["by_grade"]) == (2, 0, [1, 0, 0, 0, 1]), "by class"
    assert found["rule"]["kind"] == "median" and found["rule"]["step"] == 10
    assert found["lowest_highest"][1][4] == 1 and len(found["lowest_highest"]) == 5
    assert found["drift"][0]["mean"] == 90, "as it was given"
    out, _ = told(capsys, "audit", path, "--top-grade", 100, "--step", 10, *MEDIAN)
    assert "pairs of grade 100" in out and "pairs of grade 4 " not in out
    assert "kind" not in audited(capsys, write_judgments(tmp_path / "b.csv", [("p", "a", 4), ("p", "b", 4)]))["rule"]


def test_grades_are_mapped_and_refused_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_judgments(tmp_path / "a.csv", [("p1", "a", 1), ("p1", "b", 2), ("p2", "a", 0)])
    found = audited(capsys, path, "--map-grades", "0=0,1=3,2=4")
    assert found["by_grade"] == [0, 0, 0, 0, 1]
    _, err = told(capsys, "audit", path, "--map-grades", "0=0,1=3", code=2)
    assert "a.csv, line 3: found relevance '2', expected one of the table of grades: 0, 1" in err
    _, err = told(capsys, "audit", path, "--map-grades", "0=0,1=5", code=2)
    assert "table of grades, entry 2: found '1' '5'" in err
    _, err = told(capsys, "audit", path, "--rule", "paper", "--trimmed", 2, code=2)
    assert "expected at least 5: 4 grades are dropped" in err
    out, _ = told(capsys, "posteriors", path, "--map-grades", "0=0,1=3,2=4")
    assert "3 judgments, 2 pairs" in out


def test_an_exponential_gain_is_refused_beyond_30(tmp_path: Path) -> None:
    truth = read_ground_truth(
        write_lines(tmp_path / "truth.jsonl", truth_rows(("q", [("v", [0, 5], 100), ("v", [6, 9], 50)])))
    )
    path = write_lines(tmp_path / "run.jsonl", run_rows(("q", [("v", [6, 9], 2.0), ("v", [0, 5], 1.0)])))
    run = read_run(path)
    (record,) = evaluate(truth, [run], ["NDCG@10,IoU>=0.5"])
    assert 0.8 < record.value < 0.9
    with pytest.raises(EvaluationError, match=r"found the grade 100, expected at most 30 for the gain 2\^grade - 1"):
        evaluate(truth, [run], ["NDCG(gain=exp)@10,IoU>=0.5"])


def test_a_score_maps_the_ground_truth_s_grades(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = truth_rows(("q", [("v", [0, 5], 2), ("v", [6, 9], 1)]))
    truth = write_lines(tmp_path / "truth.jsonl", rows)
    run = write_lines(tmp_path / "run.jsonl", run_rows(("q", [("v", [6, 9], 2.0), ("v", [0, 5], 1.0)])))
    asked = ("score", truth, run, "--measures", "NDCG@10,IoU>=0.5", "--json")
    plain, mapped = (told(capsys, *asked, *more)[0] for more in ((), ("--map-grades", "1=4,2=2")))
    assert plain != mapped and '0.5": 1.0' in mapped, "what was second best is the best"
    _, err = told(capsys, *asked, "--map-grades", "2=4", code=2)
    assert "truth.jsonl, query q, v 6-9: found the grade 1, expected one of the table of grades: 2" in err
