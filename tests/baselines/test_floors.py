"""The floors: drawn by a seed, or ranked by similarity; both keep to the collection's moments and videos."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baselines.features.writing import FeatureWriter, VideoFeatures
from baselines.floors.lengths import moment_lengths
from baselines.floors.random_moments import random_moments
from baselines.floors.text_to_frame import text_to_frame
from baselines.reading.release import read_release
from tests.baselines.worlds import manifest_of, rows, run_line, write_features, write_release


class Compass:
    """Texts in a space of two dimensions: those that speak of eating point north, the others east."""

    def __init__(self, path: Path, clips: dict[str, list[list[float]]]) -> None:
        sizes = {"visual": 6, "subtitles": None, "words": 4, "shared": 2}
        writer = FeatureWriter(path, manifest_of(dimensions=sizes, shared="shared"))
        for number, (video, vectors) in enumerate(clips.items()):
            shared = np.array(vectors, dtype=np.float32)
            writer.add(video, VideoFeatures(len(shared) * 1.5, video, rows(len(shared), seed=number), shared=shared))
        self.stored: Any = writer.finish()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stored, name)

    def shared_texts(self, texts: Sequence[str]) -> Any:
        return np.array([[0, 1] if "eats" in text else [1, 0] for text in texts], dtype=np.float32)


def test_random_moments_follow_the_seed_and_the_collections_lengths(tmp_path: Path) -> None:
    release = read_release(write_release(tmp_path))
    features = write_features(tmp_path / "f.h5")
    assert moment_lengths(release).tolist() == [3.0, 4.5]
    one, again, other = (random_moments(release, features, split="test", seed=seed, depth=50) for seed in (1, 1, 2))
    assert np.array_equal(one.start, again.start)
    assert not np.array_equal(one.start, other.start)
    assert one.query_ids == ("3", "4b")
    lengths = np.round(one.end - one.start, 3)
    assert set(lengths.tolist()) == {3.0, 4.5}
    ends = np.array([release.durations[one.video_names[video]] for video in one.video])
    assert (one.start >= 0).all()
    assert (one.end <= ends + 1e-9).all()


def test_a_video_without_a_known_duration_is_as_long_as_its_clips(tmp_path: Path) -> None:
    release = read_release(write_release(tmp_path, durations={"night": None, "noon": None, "morning": None}))
    features = write_features(tmp_path / "f.h5")
    run = random_moments(release, features, split="val", seed=1, depth=200)
    longest = {name: features.clips(name) * 1.5 for name in features.videos}
    assert all(end <= longest[run.video_names[video]] for video, end in zip(run.video, run.end, strict=True))


def test_text_to_frame_finds_the_window_that_points_the_querys_way(tmp_path: Path) -> None:
    east, north, back = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]
    clips = {"night": [east] * 6, "noon": [back] * 4 + [north] * 2 + [back] * 2, "morning": [east, back, back, back]}
    features = Compass(tmp_path / "f.h5", clips)
    release = read_release(write_release(tmp_path))
    run = text_to_frame(release, features, split="test", depth=5)
    best = run.of_query("3")[0]
    assert (best.video_name, best.start, best.end) == ("noon", 6.0, 9.0)
    assert best.score == pytest.approx(1.0, abs=1e-3)
    assert run.of_query("4b")[0].video_name == "night"
    for query in ("3", "4b"):
        spans: dict[str, list[tuple[float, float]]] = {}
        for one in run.of_query(query):
            for start, end in spans.setdefault(one.video_name, []):
                overlap = min(end, one.end) - max(start, one.start)
                assert overlap < 0.5 * (max(end, one.end) - min(start, one.start))
            spans[one.video_name].append((one.start, one.end))


def test_features_without_a_space_shared_with_texts_have_no_such_floor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = write_release(tmp_path / "release")
    write_features(tmp_path / "f.h5").close()
    run = tmp_path / "run.jsonl"
    assert run_line("retrieve", "text-to-frame", release, tmp_path / "f.h5", run, "--split", "test") == 2
    assert "the frames' encoder drawn has no space that it shares with texts" in capsys.readouterr().err
    assert not run.exists()


def test_runs_of_a_floor_are_tabulated_over_seeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release = write_release(tmp_path / "release")
    write_features(tmp_path / "f.h5").close()
    runs = []
    for split in ("val", "test"):
        for seed in (1, 2):
            runs.append(tmp_path / f"random-moments-{split}-seed{seed}.jsonl")
            line = ("retrieve", "random-moments", release, tmp_path / "f.h5", runs[-1], "--split", split)
            assert run_line(*line, "--seed", seed, "--depth", 40) == 0
    manifest = json.loads((tmp_path / "random-moments-test-seed2.manifest.json").read_text())
    assert (manifest["system"], manifest["split"], manifest["seed"], manifest["top"]) == (
        "random-moments",
        "test",
        2,
        None,
    )
    assert manifest["release"]["videos"] == 3
    assert manifest["code"]["name"] == "qreels"
    assert (manifest["queries"], manifest["predictions"]) == (2, 80)
    capsys.readouterr()
    assert run_line("table", release, *runs, "--cutoffs", 20, "--thresholds", 0.3, "--output", "markdown") == 0
    said = capsys.readouterr().out
    assert "| Model | N | IoU ≥ 0.3 val | IoU ≥ 0.3 test |" in said
    assert said.count("±") == 2


@pytest.mark.parametrize(
    ("checkpoint", "more", "said"),
    [
        ("random-moments", ["--depth", "0"], "--depth: found 0, expected 1 or more"),
        ("no-such-file.pt", [], "no-such-file.pt"),
    ],
)
def test_what_cannot_be_retrieved_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], checkpoint: str, more: list[str], said: str
) -> None:
    release = write_release(tmp_path / "release")
    write_features(tmp_path / "f.h5").close()
    line = ("retrieve", checkpoint, release, tmp_path / "f.h5", tmp_path / "run.jsonl", "--split", "test")
    assert run_line(*line, *more) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run.jsonl").exists()
