"""``python -m evaluation score``."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.__main__ import main
from tests.evaluation.files import REPOSITORY, run_rows, told, truth_rows, write_json, write_lines


@pytest.fixture
def truth(tmp_path: Path) -> Path:
    rows = truth_rows(
        (1, [("a", [0, 10], 4), ("b", [0, 10], 1), ("c", [0, 10], 0)]),
        (2, [("a", [20, 30], 2)]),
        (3, [("c", [0, 10], 0)]),
    )
    return write_json(tmp_path / "val.json", rows)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    rows = run_rows((1, [("b", [0, 10], 0.9), ("a", [0, 5], 0.5)]), (9, [("a", [0, 1], 0.5)]))
    return write_lines(tmp_path / "mine.jsonl", rows)


def test_json_holds_runs_and_measures_as_written_and_nothing_else(
    truth: Path, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["NDCG@20,IoU>=0.5", "R@5,IoU>0.7", "AxIoU@10", "mAP,IoU>=0.50"]
    out, _ = told(capsys, "score", truth, run, "--measures", *names, "--json")
    scored = json.loads(out)
    assert list(scored) == ["mine"]
    assert list(scored["mine"]) == names


def test_the_two_conventions_differ_as_they_say(truth: Path, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "NDCG@20,IoU>=0.5"
    out, said = told(capsys, "score", truth, run, "--measures", name, "--json")
    log3 = 1.584962500721156
    assert json.loads(out)["mine"][name] == pytest.approx((1 + 4 / log3) / (4 + 1 / log3) / 3)
    assert "mine: 2 of 3 queries had no predictions" in said
    out, said = told(capsys, "score", truth, run, "--measures", name, "--as", "released", "--json")
    assert json.loads(out)["mine"] == {name: pytest.approx(1 / (15 + 1 / log3))}
    assert "mine: 2 of 3 queries had no predictions" in said
    assert "as released" in said


@pytest.mark.parametrize(("name", "content"), [("empty.csv", ""), ("empty.jsonl", "\n\n"), ("empty.json", "{}")])
def test_a_run_without_any_row_is_refused_and_one_without_predictions_scores_0(
    name: str, content: str, truth: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(content)
    _, said = told(capsys, "score", truth, tmp_path / name, code=2)
    assert f"{name}: found no row, expected a run: one query or more" in said
    out, _ = told(capsys, "score", truth, write_lines(tmp_path / "none.jsonl", run_rows((1, []))), "--json")
    assert set(json.loads(out)["none"].values()) == {0}


def test_what_deserves_to_be_known_is_said_beside_the_result(
    truth: Path, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write_lines(tmp_path / "x.jsonl", run_rows((1, [("a", [0, 1], 1), ("b", [0, 1], 2), ("c", [0, 1], 2)])))
    _, said = told(capsys, "score", truth, run, other, "--ties")
    assert "mine: 1 row of queries that the ground truth does not know, ignored" in said
    assert "1 of 3 queries have no relevant moment" in said
    assert "x: 1 list not in order of score, ranked by it" in said
    assert "x: 1 of 3 predictions tie" in said


def test_the_table_names_its_convention(truth: Path, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = told(capsys, "score", truth, run)
    assert "as paper: gain = grade" in out
    assert "NDCG@40,IoU>=0.7" in out  # the default measures of a graded ground truth


def test_the_default_of_one_moment_a_query_are_axious_twelve(
    tmp_path: Path, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    single = write_json(tmp_path / "gt.json", truth_rows((1, [("a", [0, 10], 1)])))
    out, _ = told(capsys, "score", single, run, "--json")
    assert len(json.loads(out)["mine"]) == 12


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_values_per_query_are_written(
    suffix: str, truth: Path, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"values.{suffix}"
    names = ["mIoU", "mAP,IoU>=0.5", "uAP(video)"]
    _, said = told(capsys, "score", truth, run, "--measures", *names, "--per-query", path)
    assert "uAP(video) has no value per query" in said
    if suffix == "csv":
        rows = list(csv.reader(path.open(newline="")))
        assert rows[0] == ["run", "query_id", "mIoU", "mAP,IoU>=0.5"]
        assert rows[1:] == [
            ["mine", "1", "1.0", "1.0"],
            ["mine", "2", "0.0", "0.0"],
            ["mine", "3", "0.0", ""],
        ]
    else:
        last = json.loads(path.read_text().splitlines()[-1])
        assert last == {"run": "mine", "query_id": "3", "mIoU": 0.0, "mAP,IoU>=0.5": None}


def test_runs_of_one_system_are_joined_over_their_seeds(
    truth: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed, end in ((1, 10), (2, 8), (3, 6)):
        write_lines(tmp_path / f"net-seed{seed}.jsonl", run_rows((1, [("a", [0, end], 1)])))
    runs = sorted(tmp_path.glob("net-seed*"))
    out, _ = told(capsys, "score", truth, *runs, "--measures", "mIoU", "--seeds", "--json")
    (system,) = json.loads(out).values()
    assert system["mIoU"]["mean"] == pytest.approx(0.8 / 3)
    assert system["mIoU"]["deviation"] == pytest.approx(0.2 / 3)
    out, _ = told(capsys, "score", truth, *runs, "--measures", "mIoU", "--seeds")
    assert "net (n=3)" in out
    assert "0.2667 ± 0.0667" in out


def test_bad_input_is_one_line_and_exit_code_2(
    truth: Path, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = write_lines(tmp_path / "bad.jsonl", run_rows((1, []), (2, [("a", [5, 1], 1)])))
    out, said = told(capsys, "score", truth, bad, "--json", code=2)
    assert out == ""
    assert said == (
        f"error: {bad}, line 2, prediction 1: found timestamp [5, 1], a reversed interval, "
        "expected timestamp: [start, end], two numbers of seconds with start < end\n"
    )
    for arguments, reason in [
        ((truth, run, "--measures", "NDGC@5"), "'NDGC@5' is not a known measure"),
        ((truth, run, run), "two runs are named 'mine'"),
        ((truth, tmp_path / "none.jsonl"), "none.jsonl: found no such file or directory"),
        ((truth, run, "--per-query", tmp_path / "no" / "where.csv"), "cannot be written"),
    ]:
        _, said = told(capsys, "score", *arguments, code=2)
        assert reason in said
        assert "Traceback" not in said


def test_a_run_for_another_split_is_refused(truth: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = write_lines(tmp_path / "other.jsonl", run_rows(("z9", [("a", [0, 1], 1)])))
    _, said = told(capsys, "score", truth, other, code=2)
    assert "none of its 1 query ids is in val.json" in said


def test_wrong_usage_is_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["score"])
    assert stopped.value.code == 2


def test_it_works_where_django_torch_and_the_rest_cannot_be_imported(truth: Path, run: Path) -> None:
    program = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in REFUSED:
            raise ImportError(f"{name} is not here")
REFUSED = {"django", "torch", "psycopg", "celery", "redis", "flair", "transformers", "sentence_transformers",
           "av", "matplotlib", "pandas", "numba", "scipy", "ir_measures", "pytrec_eval", "sklearn", "openai"}
sys.meta_path.insert(0, Refuse())
from evaluation.__main__ import main
code = main(sys.argv[1:])
assert not REFUSED & {name.split(".")[0] for name in sys.modules}
sys.exit(code)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, "score", str(truth), str(run), "--json"],
        cwd=REPOSITORY, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["mine"]) == 9
    done = subprocess.run(
        [sys.executable, "-c", program, "score", str(truth), str(run), "--measures", "nDCG@10"],
        cwd=REPOSITORY, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "needs ir_measures" in done.stderr


def test_a_reader_who_stops_early_is_no_error(truth: Path, run: Path) -> None:
    command = f"{sys.executable} -m evaluation score {truth} {run} | true"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
