"""Real systems: the figures that the measures' authors' own code gives, to six digits."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from evaluation import evaluate
from evaluation.reading import read_ground_truth, read_run
from tests.evaluation.files import real_files, told, write_lines


def test_all_72_figures_of_the_authors_code_are_reproduced(capsys: pytest.CaptureFixture[str]) -> None:
    folder = real_files("charades_sta")
    expected = json.loads((folder / "expected.json").read_text())
    assert sum(map(len, expected.values())) == 72
    measures = list(next(iter(expected.values())))
    runs = sorted((folder / "runs").iterdir())
    out, _ = told(capsys, "score", folder / "test.json", *runs, "--measures", *measures, "--json")
    scored = json.loads(out)
    assert set(scored) == set(expected)
    for run, figures in expected.items():
        assert scored[run] == pytest.approx(figures, abs=1e-6)


def test_their_reading_of_a_repeated_query_is_an_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Their pickle of SCDM has the query 2281 once without a list, once with one, and eight times without one."""
    folder = real_files("charades_sta")
    with gzip.open(folder / "runs" / "SCDM.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    empty = {"query_id": 2281, "predictions": []}
    place = next(place for place, row in enumerate(rows) if row["query_id"] == 2281)
    path = write_lines(tmp_path / "SCDM.jsonl", [*rows[:place], empty, rows[place], *[empty] * 8, *rows[place + 1 :]])
    _, err = told(capsys, "score", folder / "test.json", path, code=2)
    assert f"line {place + 2}: found query_id '2281' a second time" in err
    expected = json.loads((folder / "expected.json").read_text())["SCDM"]
    theirs = {"AxIoU@1": 0.4554032918, "AxIoU@5": 0.5524967632, "AxIoU@10": 0.6097436222}
    for repeated, figures in (("first", expected), ("last", theirs)):
        arguments = (
            "score",
            folder / "test.json",
            path,
            "--measures",
            *figures,
            "--json",
            "--repeated-queries",
            repeated,
        )
        out, err = told(capsys, *arguments)
        assert json.loads(out)["SCDM"] == pytest.approx(figures, abs=1e-6)
        assert "9 lists left out, of queries that came again" in err


def test_moments_past_the_stated_duration_and_unanswered_queries_are_in_order() -> None:
    folder = real_files("charades_sta")
    truth = read_ground_truth(folder / "test.json")
    assert len(truth) == 3720
    (record,) = evaluate(truth, [read_run(folder / "runs" / "SCDM.jsonl.gz")], ["AxIoU@10"])
    assert record.unanswered == 9
