"""Runs from one format to another and back."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from evaluation import Prediction, Run
from evaluation.formats.writing import WRITERS
from evaluation.reading import read_run
from tests.evaluation.files import run_rows, told, write_json, write_lines
from tests.evaluation.worlds import World, worlds


@pytest.mark.parametrize("form", ["qreels", "tvr-ranking", "trec"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(world=worlds())
def test_a_run_comes_back_as_it_went(form: str, world: World, tmp_path: Path) -> None:
    run = world.run()
    path = tmp_path / "out"
    path.write_text("".join(WRITERS[form](run)))
    back = read_run(path, format=form)
    for query_id in run.query_ids:
        assert back.of_query(query_id) == run.of_query(query_id)
    if form != "trec":  # a TREC file has no line for a query without predictions
        assert back.query_ids == run.query_ids


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(world=worlds())
def test_tvrs_format_keeps_the_ranking(world: World, tmp_path: Path) -> None:
    run = world.run()
    path = tmp_path / "out"
    path.write_text("".join(WRITERS["tvr"](run, task="VCMR")))
    back = read_run(path)
    for query_id in run.query_ids:
        rows = [(p.video_name, p.start, p.end) for p in back.of_query(query_id)]
        assert rows == [(p.video_name, p.start, p.end) for p in run.of_query(query_id)]


def test_a_ranking_without_scores_keeps_its_order_everywhere(tmp_path: Path) -> None:
    run = Run.of("run", [("1", [Prediction("a", 0, 5), Prediction("a", 2, 9), Prediction("a", 1, 3)])])
    for form, write in WRITERS.items():
        path = tmp_path / form
        path.write_text("".join(write(run, task="VCMR") if form == "tvr" else write(run)))
        assert [p.start for p in read_run(path).of_query("1")] == [0, 2, 1], form


def test_the_command_converts_and_gzips(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_lines(tmp_path / "run.jsonl", run_rows((7, [("a b", [0, 5], 2), ("c", [1, 2.5], 2)])))
    out, said = told(capsys, "convert", run, tmp_path / "out.trec.gz", "--to", "trec")
    assert "1 query, 2 predictions as trec" in out
    assert "1 prediction ties" in said
    text = gzip.decompress((tmp_path / "out.trec.gz").read_bytes()).decode()
    assert text == "7 Q0 a%20b@0.0-5.0 1 2.0 run\n7 Q0 c@1.0-2.5 2 2.0 run\n"


def test_tvrs_own_video_indices_are_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_lines(tmp_path / "run.jsonl", run_rows((7, [("a", [0, 5], 2)])))
    videos = write_json(tmp_path / "idx.json", {"val": {"a": [60.5, 19614]}, "train": {"z": [9.9, 3]}})
    told(capsys, "convert", run, tmp_path / "out.json", "--to", "tvr", "--videos", videos, "--task", "SVMR")
    written = json.loads((tmp_path / "out.json").read_text())
    assert written == {
        "video2idx": {"a": 19614},
        "SVMR": [{"desc_id": 7, "predictions": [[19614, 0.0, 5.0, 2.0]]}],
    }


def test_what_a_format_cannot_hold_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_lines(tmp_path / "run.jsonl", run_rows(("a b", [("a", [0, 5], 2), ("c", [1, 2], 1)])))
    out = tmp_path / "out"
    for form, reason in (("qvhighlights", "in 2 videos"),):
        _, said = told(capsys, "convert", run, out, "--to", form, code=2)
        assert reason in said
        assert not out.exists()
    videos = write_json(tmp_path / "idx.json", {"a": 1})
    _, said = told(capsys, "convert", run, out, "--to", "tvr", "--videos", videos, code=2)
    assert "video 'c' has no index" in said
    ranking = {"video2idx": {"a": 1}, "VR": [{"desc_id": 1, "predictions": [[1, 0, 0, 1]]}]}
    path = write_json(tmp_path / "vr.json", ranking)
    _, said = told(capsys, "convert", path, out, "--to", "qreels", "--task", "VR", code=2)
    assert "ranks videos without times" in said
    told(capsys, "convert", path, out, "--to", "tvr", "--task", "VR")
    _, said = told(capsys, "convert", run, tmp_path / "no" / "out", "--to", "qreels", code=2)
    assert "cannot be written" in said
