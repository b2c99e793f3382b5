"""`manage.py simulate_pools RELEASE RUN...`, from files alone."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command


def moment(second: int, grade: int, similarity: object) -> dict[str, object]:
    return {"video_name": "v", "timestamp": [second, second + 8], "relevance": grade, "similarity": similarity}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    moments = [moment(0, 0, 0.9), moment(20, 3, 0.8), moment(40, 2, 0.7)]
    (tmp_path / "test.json").write_text(json.dumps([{"query_id": "1", "query": "?", "relevant_moment": moments}]))
    predictions = [{"video_name": "v", "timestamp": [at, at + 8], "score": -at} for at in (20, 60)]
    (tmp_path / "run.jsonl").write_text(json.dumps({"query_id": "1", "predictions": predictions}) + "\n")
    return tmp_path


def test_the_similarity_of_captions_is_the_first_ranker(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("simulate_pools", release, release / "run.jsonl", "--recipes", "paper", "depth", "--json")
    found = json.loads(capsys.readouterr().out)
    assert (found["relevant"], found["reachable"], found["pool"]) == (2, 2, 4)
    paper, depth = found["replays"]
    assert [point["found"] for point in paper["points"]] == [0, 1, 2]
    assert [point["found"] for point in depth["points"]] == [0, 1, 1, 2]


def test_runs_alone(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("simulate_pools", release, release / "run.jsonl", "--runs-only")
    assert "1 run to depth 100: 1 of these, in a pool of 2 moments" in capsys.readouterr().out


def test_bad_input_is_said(release: Path) -> None:
    with pytest.raises(CommandError, match=r"found no val\.json, expected the folder of a release"):
        call_command("simulate_pools", release, release / "run.jsonl", "--split", "val")
    with pytest.raises(CommandError, match="'best' is no recipe"):
        call_command("simulate_pools", release, release / "run.jsonl", "--recipes", "best")
    (release / "test.json").write_text(
        json.dumps([{"query_id": "1", "query": "?", "relevant_moment": [moment(0, 1, None)]}])
    )
    with pytest.raises(CommandError, match=r"test\.json, .*moment 1: found similarity None, expected a number"):
        call_command("simulate_pools", release, release / "run.jsonl")
