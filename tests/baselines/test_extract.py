"""Features are extracted from films by the packaged encoders, and a kill loses at most the video in hand."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from baselines.errors import BaselineError
from baselines.features.extract import FeaturePlan, extract
from baselines.features.store import FeatureFile
from tests.baselines.worlds import run_line, write_release
from tests.corpus.films import draw_film, real_film, song_with_cover, steady
from tests.forked import ForkedProcess

pytestmark = pytest.mark.long

PLAN = FeaturePlan("efficientnet-lite0", "minilm", rate=2.0, clip_seconds=1.5)


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three short films and a real one."""
    folder = tmp_path_factory.mktemp("films")
    for place, name in enumerate(("night", "noon", "morning")):
        draw_film(folder / f"{name}.mp4", steady(12, 36 + 12 * place))
    shutil.copy(real_film("bikes.mp4"), folder / "bikes.mp4")
    return folder


def test_films_become_features_and_a_killed_extraction_goes_on(films: Path, tmp_path: Path) -> None:
    """One test, because loading the encoders takes seconds."""
    many = tmp_path / "many"
    shutil.copytree(films, many)
    for number in range(5):
        shutil.copy(films / "bikes.mp4", many / f"zz{number}.mp4")
    (many / "night.srt").write_text("1\n00:00:00,100 --> 00:00:01,200\nGood night.\n")
    out = tmp_path / "features.h5"
    line = ["-m", "baselines", "features", many, out, "--rate", "2", "--subtitles", many, "--device", "cpu"]
    parts = out.with_name("features.h5.parts")
    parts.mkdir()
    held = parts / f"{hashlib.sha256(b'zz4').hexdigest()[:32]}.new"
    os.mkfifo(held)  # nobody reads what is written there, so that it can't be over before it is killed
    process = ForkedProcess([str(part) for part in line], env=dict(os.environ), log=tmp_path / "log")
    while len(list(parts.glob("*.npz"))) < 2 and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait(30) == -signal.SIGKILL, (tmp_path / "log").read_text()
    kept = {path: path.stat().st_mtime_ns for path in parts.glob("*.npz")}
    assert not out.exists()
    held.unlink()
    for name in [path.name for path in many.glob("zz*.mp4")]:
        (many / name).unlink()
    (many / "broken.mp4").write_text("not a film")
    (many / "talk.txt").write_text("ADA: The ring is in the cup.\n" * 20)
    song_with_cover(many / "song.mp4")

    done = extract(many, out, PLAN, subtitles=many, queries=["A man rides a bicycle."])

    features = done.features
    assert done.kept == sum(1 for _ in kept) - _of_removed(kept, features)
    assert done.done + done.kept == 4
    broken, song, talk = done.broken
    assert "broken.mp4: can't be decoded" in broken
    assert "song.mp4: found no pictures, expected a video" in song
    assert "talk.txt: found no format of films, expected a video" in talk
    assert {"night", "noon", "morning", "bikes"} <= set(features.videos)
    assert [features.clips(video) for video in ("night", "noon", "morning")] == [2, 3, 4]
    assert (features.visual_size, features.word_size, features.subtitle_size, features.shared_size) == (
        1280,
        384,
        384,
        384,
    )
    said = features.subtitles("night")
    assert said is not None
    assert [bool(row.any()) for row in said] == [True, False]
    stored = features.words("A man rides a bicycle.")
    features_of_elsewhere = FeatureFile(out)
    features_of_elsewhere.prepare_words(["A man rides a bicycle.", "A dog sleeps."])
    assert stored.shape == (8, 384)  # six words, the full stop's token among them, and the two at the ends
    assert features_of_elsewhere.words("A dog sleeps.").shape[1] == 384

    # The classifier's own words for a film of cyclists are nearer to a sentence about one than to another.
    near, far = features.shared_texts(["Somebody rides a bicycle on a mountain.", "A woman bakes bread in a kitchen."])
    clips = features.shared("bikes")
    assert float((clips @ near).mean()) > float((clips @ far).mean())
    assert np.allclose(np.linalg.norm(clips, axis=1), 1.0, atol=1e-3)

    # The command line over the same file: nothing is left to do, a release asks for its videos alone.
    for name in ("broken.mp4", "song.mp4", "talk.txt"):
        (many / name).unlink()
    with pytest.raises(BaselineError, match="none of the 1 videos can be read"):
        (tmp_path / "bad").mkdir()
        (tmp_path / "bad" / "x.mp4").write_text("no")
        extract(tmp_path / "bad", tmp_path / "bad.h5", PLAN)
    release = write_release(tmp_path / "release", durations={"night": 3.0, "noon": 4.0, "morning": 5.0})
    run = tmp_path / "text-to-frame-test.jsonl"
    assert run_line("retrieve", "text-to-frame", release, out, run, "--split", "test") == 0
    answers = [json.loads(row) for row in run.read_text().splitlines()]
    assert [answer["query_id"] for answer in answers] == [3, "4b"]
    manifest = json.loads((tmp_path / "text-to-frame-test.manifest.json").read_text())
    assert manifest["features"]["frames"]["name"] == "efficientnet-lite0"
    assert len(manifest["features"]["frames"]["weights"]) == 64


def _of_removed(kept: dict[Path, int], features: FeatureFile) -> int:
    """How many of the videos that were kept are gone from the folder."""
    return sum(video.startswith("zz") for video in features.videos)


def test_videos_that_a_release_names_and_the_folder_lacks_are_told_before_a_model_is_loaded(
    films: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = write_release(tmp_path, durations={"night": 3.0, "dusk": 4.0, "dawn": 5.0})
    assert run_line("features", films, tmp_path / "f.h5", "--release", release) == 2
    assert "found no file for 2 of 3 videos of the release, among them 'dusk', 'dawn'" in capsys.readouterr().err
    assert not list(tmp_path.glob("f.h5*"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--frames", "inception"], "found the frames' encoder 'inception', expected efficientnet-lite0, clip"),
        (["--frames", "clip"], "the model 'openai/clip-vit-base-patch32' can't be loaded"),
        (["--rate", "0.5"], "found 0.5 frames a second and clips of 1.5 s, expected a frame a clip or more"),
        (["--subtitles", "FILMS"], "found no subtitles, expected files that end in .srt or .vtt"),
    ],
)
def test_what_cannot_be_extracted_is_said_in_a_sentence(
    films: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    asked = [str(films) if part == "FILMS" else part for part in arguments]
    assert run_line("features", films, tmp_path / "f.h5", *asked) == 2
    assert said in capsys.readouterr().err
