"""The tables of the paper's baselines, from runs in files to text, Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import math
import statistics
from pathlib import Path

import pytest

from tests.evaluation import oracle
from tests.evaluation.files import run_rows, told, truth_rows, write_json, write_lines

JUDGED = [("a", 0.0, 10.0, 4.0), ("b", 0.0, 10.0, 2.0), ("c", 0.0, 10.0, 0.0)]
ENDS = {
    "XML-top1-val": 4.0,
    "XML-top1-test": 3.0,
    "XML-top40-val": 6.0,
    "XML-top40-test": 8.0,
    "Re-Lo-top20-val-seed1": 6.0,
    "Re-Lo-top20-val-seed2": 10.0,
    "Re-Lo-top20-test-seed1": 10.0,
}
"""Where each run's first prediction ends: its IoU with the judged moment of grade 2 is a tenth of that."""


@pytest.fixture
def files(tmp_path: Path) -> list[object]:
    moments = [(video, [start, end], grade) for video, start, end, grade in JUDGED]
    for split in ("val", "test"):
        write_json(tmp_path / f"{split}.json", truth_rows(("q", moments)))
    runs = [
        write_lines(tmp_path / f"{name}.jsonl", run_rows(("q", [("b", [0, end], 0.9), ("a", [0, 10], 0.5)])))
        for name, end in ENDS.items()
    ]
    return [*runs, "--val", tmp_path / "val.json", "--test", tmp_path / "test.json"]


def expected(run: str, k: int, mu: float) -> float:
    return oracle.ndcg(JUDGED, [("b", 0.0, ENDS[run]), ("a", 0.0, 10.0)], k, mu, strict=False)


def test_a_block_a_cutoff_a_row_a_system_and_n_columns_iou_by_split(
    files: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = told(capsys, "table", *files)
    blocks = [block.splitlines() for block in out.strip().split("\n\n")]
    assert [block[0] for block in blocks] == ["NDCG@10", "NDCG@20", "NDCG@40"]
    columns = [f"IoU>={mu} {split}" for mu in (0.3, 0.5, 0.7) for split in ("val", "test")]
    assert blocks[0][1].split() == ["Model", "N", *" ".join(columns).split()]
    for k, block in zip((10, 20, 40), blocks, strict=True):
        figures = [
            f"{expected(f'XML-top40-{split}', k, mu):.4f}" for mu in (0.3, 0.5, 0.7) for split in ("val", "test")
        ]
        assert block[3].split() == ["XML", "40", *figures]
        assert block[2].split()[:2] == ["XML", "1"]
    own = [expected(f"Re-Lo-top20-val-seed{seed}", 10, 0.7) for seed in (1, 2)]
    assert f"{statistics.mean(own):.4f} ± {abs(own[0] - own[1]) / math.sqrt(2):.4f}" in blocks[0][4]
    assert blocks[0][4].split()[:2] == ["Re-Lo", "20"]


def test_rows_may_be_cutoffs_and_latex_and_markdown_say_the_same(
    files: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = told(capsys, "table", *files, "--rows", "cutoffs", "--output", "markdown")
    blocks = out.strip().split("### ")[1:]
    assert [block.splitlines()[0] for block in blocks] == ["XML, N = 1", "XML, N = 40", "Re-Lo, N = 20"]
    assert [line.split(" | ")[0] for line in blocks[0].splitlines()[4:7]] == ["| @10", "| @20", "| @40"]
    figure = f"{expected('XML-top1-val', 20, 0.3):.4f}"
    assert f"| @20 | {figure} |" in blocks[0]
    out, _ = told(capsys, "table", *files, "--output", "latex")
    lines = out.splitlines()
    assert lines[0] == r"\begin{tabular}{llrrrrrr}"
    assert r" &  & \multicolumn{6}{c}{NDCG@20} \\" in lines
    assert r"\cmidrule(lr){3-4} \cmidrule(lr){5-6} \cmidrule(lr){7-8}" in lines
    assert any(line.startswith(f"XML & 1 & {figure} & ") and line.endswith(r" \\") for line in lines)
    assert r" $\pm$ " in out
    assert {line.count("&") for line in lines if line.startswith(("XML", "Re-Lo", "Model"))} == {7}


def test_csv_keeps_every_digit_and_says_how_many_runs_there_were(
    files: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = told(capsys, "table", *files, "--output", "csv", "--cutoffs", "2", "--thresholds", "0.7")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["block"], row["Model"], row["N"]) for row in rows] == [
        ("NDCG@2", "XML", "1"),
        ("NDCG@2", "XML", "40"),
        ("NDCG@2", "Re-Lo", "20"),
    ]
    own = [expected(f"Re-Lo-top20-val-seed{seed}", 2, 0.7) for seed in (1, 2)]
    assert float(rows[2]["IoU>=0.7 val"]) == pytest.approx(statistics.mean(own), abs=1e-15)
    assert float(rows[2]["IoU>=0.7 val deviation"]) == pytest.approx(statistics.stdev(own), abs=1e-15)
    assert [rows[2][f"IoU>=0.7 {split} runs"] for split in ("val", "test")] == ["2", "1"]
    assert rows[2]["IoU>=0.7 test deviation"] == ""


def test_runs_in_tvr_rankings_own_format_are_named_alike_and_names_are_safe_in_latex(
    files: list[object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [{"video_name": "b", "timestamp": [0, 6], "model_scores": 0.9}]
    paths = [
        write_json(tmp_path / f"{name}.json", {"q": given}) for name in ("A_1~^-N40-val-run1", "A_1~^-N40-val-run2")
    ]
    out, _ = told(capsys, "table", *paths, *files[-4:], "--output", "latex", "--cutoffs", "10")
    assert "\nA\\_1\\textasciitilde{}\\textasciicircum{} & 40 & " in out


def test_the_same_run_under_two_names_is_not_two_seeds(
    files: list[object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twins = [
        write_lines(tmp_path / f"{name}.jsonl", run_rows(("q", [])))
        for name in ("XML-top1-seed1-val", "XML-N1-val-seed1")
    ]
    _, said = told(capsys, "table", *twins, *files[-4:], code=2)
    assert "XML-top1-seed1-val and XML-N1-val-seed1 are the same system, N, split and seed" in said


def test_what_a_name_does_not_say_is_asked_for(
    files: list[object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("XML", "val", "XML-val-more", "XML-top1-top2-val"):
        unnamed = write_lines(tmp_path / f"{name}.jsonl", run_rows(("q", [])))
        _, said = told(capsys, "table", unnamed, *files[-4:], code=2)
        assert f"found a run named '{name}', expected SYSTEM-topN-SPLIT-seedS" in said
    _, said = told(capsys, "table", *files[:-2], code=2)
    assert "XML-top1-test is a run for test: give that ground truth with --test" in said
    _, said = told(capsys, "table", *files[:-4], code=2)
    assert "--val FILE, --test FILE, or both" in said
