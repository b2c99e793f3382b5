"""The theatre's release for baselines: the script's grades, the paper's layout; and how gains are told."""

import json
from pathlib import Path
from typing import Any

import pytest

from baselines.reading.release import read_release
from demo.__main__ import main
from demo.baselines.evidence import tell_differences
from demo.baselines.theatre_release import make_theatre_release


def test_a_theatre_s_release_has_the_script_s_grades_and_no_caption_twice(tmp_path: Path) -> None:
    make_theatre_release(tmp_path, videos=3, val=3, test=4)
    release = read_release(tmp_path)
    files: dict[str, Any] = {name: json.loads((tmp_path / f"{name}.json").read_text()) for name in ("val", "test")}
    training = release.training_of(20)
    texts = [query.text for query in (*release.queries("val"), *release.queries("test"), *training.queries)]
    assert len(texts) == len(set(texts))
    assert len(release.durations) == 3
    for record in (*files["val"], *files["test"]):
        grades = [moment["relevance"] for moment in record["relevant_moment"]]
        assert max(grades) == 4
        assert set(grades) <= {0, 1, 2, 3, 4}
        assert len(grades) == len(files["val"][0]["relevant_moment"]), "every moment of the theatre is graded"
    first = release.training_of(1)
    for row in range(len(training)):
        similarities = training.similarity[training.offset[row] : training.offset[row + 1]].tolist()
        assert similarities == sorted(similarities, reverse=True)
        assert similarities[0] == pytest.approx(1.0, abs=1e-4)
        place = training.offset[row]
        assert training.video_names[training.video[place]] == first.video_names[first.video[row]]
        assert (training.start[place], training.end[place]) == (first.start[row], first.end[row])


def test_what_a_system_gains_is_told_with_its_interval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    moment = {"video_name": "night", "timestamp": [0, 3]}
    truth = tmp_path / "test.json"
    truth.write_text(
        json.dumps([{"query_id": query, "relevant_moment": [{**moment, "relevance": 4}]} for query in range(4)])
    )
    answered_by = {"xml-top01-test-seed1": [0], "xml-top20-test-seed1": [0, 1, 2], "random-moments-test-seed1": []}
    runs = []
    for name, answered in answered_by.items():
        runs.append(tmp_path / f"{name}.jsonl")
        rows = [{"query_id": query, "predictions": [{**moment, "score": 1.0}]} for query in answered]
        runs[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    tell_differences(truth, runs)
    printed = capsys.readouterr().out
    assert "| xml | 1 | random-moments | +0.2500 |" in printed
    assert "| xml | 20 | random-moments | +0.7500 |" in printed
    assert "| xml | 20 | N = 1 | +0.5000 |" in printed


def test_the_check_trains_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["script/demo", "--check", "--baselines"])
    with pytest.raises(SystemExit):
        main()
    assert "--baselines goes with a running demo" in capsys.readouterr().err
