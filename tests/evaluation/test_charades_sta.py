"""Real systems: the figures that the measures' authors' own code gives, to six digits."""

from __future__ import annotations

import json

import pytest

from evaluation import evaluate
from evaluation.reading import read_ground_truth, read_run
from tests.evaluation.files import real_files, told


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


def test_moments_past_the_stated_duration_and_unanswered_queries_are_in_order() -> None:
    folder = real_files("charades_sta")
    truth = read_ground_truth(folder / "test.json")
    assert len(truth) == 3720
    (record,) = evaluate(truth, [read_run(folder / "runs" / "SCDM.jsonl.gz")], ["AxIoU@10"])
    assert record.unanswered == 9
