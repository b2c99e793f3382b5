"""A whole study on tiny videos: what it writes, how it goes on, what it refuses."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import av
import numpy as np
import pytest
import torch

from baselines.__main__ import main
from baselines.arrays import ByteArray, SingleArray
from baselines.commands import copy
from baselines.copy_retrieval.clips import held_out_videos, make_clips
from baselines.copy_retrieval.heat_maps import frame_maps
from baselines.copy_retrieval.learning_rate import best_rate, reached_with, validation_clips
from baselines.copy_retrieval.rows import BASE, BOTH, FRAME, MAIN, VIDEO, ablation, file_name
from baselines.copy_retrieval.settings import (
    ABLATIONS,
    LEARNING_RATES,
    PAPER_TRAINING,
    ClipSettings,
    TrainingSettings,
)
from baselines.copy_retrieval.study import CopyStudy, run_study
from baselines.copy_retrieval.training import learning_rate_factor, score, train
from baselines.copy_retrieval.whitening import ClipFeatures, whitened
from baselines.errors import BaselineError
from baselines.features.encoders.interface import FrameVectors, Pool

pytestmark = pytest.mark.long

CLIPS = ClipSettings(rate=2, length=4, copies=1, side=2)
TRAINING = TrainingSettings(steps=3, warm_up=1, batch=2, learning_rate=5e-3, size=2, channels=2)
STUDY = CopyStudy(CLIPS, TRAINING, (1, 2), ("lambda_f", "rates"), ("triplet",))


class MeanColours:
    """An encoder of regions that needs no weights: each field's mean red, green and blue."""

    identity: dict[str, Any] = {"name": "mean colours"}

    def regions(self, pictures: ByteArray, side: int) -> SingleArray:
        fields = [np.array_split(row, side, axis=2) for row in np.array_split(pictures, side, axis=1)]
        means = [field.mean(axis=(1, 2)) for row in fields for field in row]
        return np.stack(means, axis=1).astype(np.float32)


def film(path: Path, *, seconds: float, seed: int) -> None:
    """A small video of colours that change every second, 4 frames a second."""
    rng = np.random.default_rng(seed)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=4)
        stream.width = stream.height = 32
        for second in range(int(np.ceil(seconds))):
            colours = np.kron(rng.integers(0, 256, (2, 2, 3), dtype=np.uint8), np.ones((16, 16, 1), np.uint8))
            for _ in range(round(4 * min(1.0, seconds - second))):
                container.mux(stream.encode(av.VideoFrame.from_ndarray(colours, format="rgb24")))
        container.mux(stream.encode())


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("videos")
    for number in range(5):
        film(folder / f"film{number}.mp4", seconds=4, seed=number)
    return folder


def results(out: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (out / "results").iterdir()}


def test_a_study_writes_its_tables_and_goes_on_where_it_was_broken_off(videos: Path, tmp_path: Path) -> None:
    tables = run_study(videos, tmp_path, STUDY, encoder=MeanColours)
    text = tables.read_text()
    assert text.startswith("mAP and uAP in %, mean and deviation over seeds 1, 2")
    assert all(f"| {row} | " in text for row in MAIN)
    assert "| λ_f | mAP | uAP |" in text
    assert "| r_t, r_b | mAP | uAP |" in text
    assert "| 0.3, 0.4 | " in text
    assert text.index("| L_base + QLAP of both | ") < text.index("| L_base + triplet of both | ") < text.index("λ_f")
    before = results(tmp_path)
    # 2 seeds of 5 rows, 4 and 6 values of which one is Table 2's own, and the features alone.
    assert len(before) == 10 + 3 + 5 + 1
    picture = (tmp_path / "heat-maps.svg").read_text()
    assert ElementTree.fromstring(picture).findtext("{*}title") == "Similarities of frames by loss"
    assert all(f">{row}<" in picture for row in ("features alone", *MAIN, "L_base + triplet of both"))
    assert picture.count("<rect") == 6 * 2 * CLIPS.length**2

    # What a kill leaves: a result that isn't there, one half written, no table.
    (tmp_path / "results" / "frame-seed2.json").unlink()
    (tmp_path / "results" / "frame-seed2.json.new").write_text('{"losses": {')
    tables.unlink()
    assert run_study(videos, tmp_path, STUDY, encoder=MeanColours).read_text() == text
    after = results(tmp_path)
    assert {name for name in before if before[name] != after[name]} == {"frame-seed2.json"}

    with pytest.raises(BaselineError, match=r"was made with training = .*, asked for is"):
        run_study(videos, tmp_path, replace(STUDY, training=replace(TRAINING, steps=4)), encoder=MeanColours)
    assert results(tmp_path) == after

    (tmp_path / "results" / "base-seed1.json").write_text("{}")
    with pytest.raises(BaselineError, match=r"base-seed1.json: found no scores"):
        run_study(videos, tmp_path, STUDY, encoder=MeanColours)
    (tmp_path / "results" / "base-seed1.json").write_text('{"scores": {"mAP": 0.1, "uAP": 0.1}}')
    with pytest.raises(BaselineError, match=r"base-seed1.json: found no frames"):
        run_study(videos, tmp_path, STUDY, encoder=MeanColours)


def test_clips_are_made_once_and_no_video_is_on_both_sides(videos: Path, tmp_path: Path) -> None:
    made = make_clips(videos, tmp_path, MeanColours, CLIPS)
    assert made.regions.shape == (10, 2, 4, 4, 3)
    assert made.names[:3] == ("film0#0", "film0#1", "film1#0")
    tested = {name.split("#")[0] for name, test in zip(made.names, made.test, strict=True) if test}
    assert tested == held_out_videos([f"film{n}" for n in range(5)], CLIPS)
    assert len(tested) == 2
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    again = make_clips(videos, tmp_path, MeanColours, CLIPS)
    assert np.array_equal(again.regions, made.regions)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before
    next(iter(before)).write_bytes(b"cut off")
    assert np.array_equal(make_clips(videos, tmp_path, MeanColours, CLIPS).regions, made.regions)


class FirstPixel:
    """An encoder of whole frames."""

    identity: dict[str, Any] = {"name": "first pixel"}
    picture_size = (16, 16)
    visual_size = 3
    shared_size: int | None = None
    visual_is_shared = False
    pool: Pool = "mean"

    def encode(self, frames: ByteArray) -> FrameVectors:
        assert frames.shape[1:] == (16, 16, 3)
        return FrameVectors(frames[:, 0, 0].astype(np.float32))


def test_frames_are_labelled_by_the_mean_of_their_regions_or_by_another_network(videos: Path, tmp_path: Path) -> None:
    alone = make_clips(videos, tmp_path, MeanColours, CLIPS)
    np.testing.assert_allclose(alone.frames, alone.regions.mean(axis=3), rtol=2e-3)
    labelled = make_clips(videos, tmp_path, MeanColours, CLIPS, labels=FirstPixel())
    assert np.array_equal(labelled.regions, alone.regions)
    assert labelled.frames.shape == (10, 2, 4, 3)
    assert not np.allclose(labelled.frames, alone.frames)
    assert len(list(tmp_path.iterdir())) == 10  # both are kept
    lengths = whitened(labelled, 2).frames.norm(dim=-1)
    assert ((lengths - 1).abs().lt(1e-3) | lengths.eq(0)).all()


def test_frames_are_compared_with_a_copy_of_their_clip_and_with_one_of_another_video() -> None:
    features = replace(easy(), names=("a#0", "a#1", *(f"c{n}#0" for n in range(6)), "t#0", "t#1", "u#0", "u#1"))
    own, other = frame_maps(features, None, 0.1)
    clip, copies = features.regions[8, 0], features.regions[[8, 10], 1]
    for matrix, other_clip in zip((own, other), copies, strict=True):
        by_hand = (clip[1] @ other_clip[2].T).amax(dim=1).mean()  # a tenth of three regions is one
        assert matrix[1][2] == pytest.approx(float(by_hand), abs=1e-4)
    assert np.mean(own) > np.mean(other)


def test_a_learning_rate_is_chosen_once_on_videos_that_are_not_tested(videos: Path, tmp_path: Path) -> None:
    study = replace(STUDY, training=replace(TRAINING, learning_rate=None), seeds=(1,), ablations=())
    text = run_study(videos, tmp_path, study, encoder=MeanColours).read_text()
    path = tmp_path / "learning-rate.json"
    compared = json.loads(path.read_text())["mAP on validation videos"]
    assert [float(rate) for rate in compared] == list(LEARNING_RATES)
    chosen = best_rate({float(rate): value for rate, value in compared.items()})
    assert f"Learning rate {chosen:g}, by mAP on validation videos (0.001: " in text
    path.write_text(json.dumps({"mAP on validation videos": {"0.001": compared["0.001"]}}))  # what a kill leaves
    assert run_study(videos, tmp_path, study, encoder=MeanColours).read_text() == text

    clips = make_clips(videos, tmp_path / "clips", MeanColours, CLIPS)
    left = validation_clips(clips, 1)
    tested = {name for name, test in zip(clips.names, clips.test, strict=True) if test}
    assert set(left.names) == set(clips.names) - tested
    assert 0 < left.test.sum() < len(left.names)
    blind = replace(clips, regions=np.where(clips.test[:, None, None, None, None], np.nan, clips.regions))
    features = whitened(validation_clips(blind, 1), 2)
    assert reached_with(0.002, features, study.training, seed=1) == compared["0.002"]

    path.write_text("{}")
    with pytest.raises(BaselineError, match=r"learning-rate.json: found no learning rates"):
        run_study(videos, tmp_path, study, encoder=MeanColours)
    alone = replace(clips, test=np.array([not name.startswith("film0#") for name in clips.names]))
    with pytest.raises(BaselineError, match=r"found 1 video to train on, expected two or more"):
        validation_clips(alone, 1)
    with pytest.raises(BaselineError, match="found no learning rate"):
        train(whitened(clips, 2), BASE, study.training, seed=1)


def easy(clips: int = 12, size: int = 6) -> ClipFeatures:
    """Clips whose copies are like them but for some noise."""
    generator = torch.Generator().manual_seed(1)
    own = torch.randn(clips, 1, 4, 3, size, generator=generator)
    regions = own + 0.4 * torch.randn(clips, 3, 4, 3, size, generator=generator)
    regions = torch.nn.functional.normalize(regions, dim=-1)
    frames = torch.nn.functional.normalize(regions.mean(dim=3), dim=-1)
    rows = torch.arange(clips)
    return ClipFeatures(regions, frames, rows[:8], rows[8:], tuple(f"c{n}" for n in range(clips)))


def test_training_lowers_the_loss_and_the_same_seed_gives_the_same_network() -> None:
    training = TrainingSettings(steps=60, batch=4, learning_rate=3e-3, channels=4)
    curves: list[list[float]] = []
    found = []
    for seed in (1, 1, 2):
        curve: list[float] = []

        def note(_: int, parts: dict[str, float], curve: list[float] = curve) -> None:
            curve.append(parts["total"])

        network = train(easy(), BOTH, training, seed=seed, progress=note)
        curves.append(curve)
        found.append(score(easy(), network, training))
    assert sum(curves[0][-10:]) < sum(curves[0][:10])
    assert curves[0] == curves[1] != curves[2]
    assert found[0] == found[1]
    assert all(0 <= value <= 1 for scores in found for value in (scores.mAP, scores.uAP))
    assert score(easy(), None, training).mAP > 0.9


def test_the_learning_rate_warms_up_and_falls_to_a_tenth() -> None:
    training = TrainingSettings(steps=100, warm_up=10)
    factors = [learning_rate_factor(step, training) for step in range(100)]
    assert factors[0] == 0.1
    assert factors[9] == factors[10] == 1
    assert factors == [*factors[:10], *sorted(factors[10:], reverse=True)]
    assert factors[-1] == pytest.approx(0.1, abs=0.01)


def test_rows_have_names_of_their_own_and_table_2s_value_is_in_every_ablation() -> None:
    assert [file_name(row) for row in (BASE, VIDEO, FRAME, BOTH)] == ["base", "video", "frame", "both"]
    names = [file_name(row) for parameter in ABLATIONS for row in ablation(parameter).values()]
    assert len(set(names)) == len(names) - names.count("both") + 1
    assert all(BOTH in ablation(parameter).values() for parameter in ABLATIONS)
    assert list(ablation("rho_v")) == ["0.02", "0.1", "0.2", "1", "5", "50"]
    assert ablation("rates")["0.4, 0.3"] == replace(BOTH, top_rate=0.4, bottom_rate=0.3)
    assert file_name(replace(BOTH, ranking="fast-ap")) == "ranking=fast-ap"


def test_rho_v_of_the_study_changes_what_is_trained() -> None:
    training = TrainingSettings(steps=4, batch=4, learning_rate=3e-3, channels=4)
    scores = [
        train(easy(), replace(BOTH, rho_v=rho, own=own), training, seed=1).comparator.last.weight
        for own in (True, False)
        for rho in (0.02, 5.0)
    ]
    assert not torch.equal(scores[0], scores[1])
    assert torch.equal(scores[2], scores[3])


def test_too_few_unreadable_and_short_videos_are_refused_with_what_was_found(videos: Path, tmp_path: Path) -> None:
    few = tmp_path / "few"
    few.mkdir()
    with pytest.raises(BaselineError, match="found no file, expected videos"):
        make_clips(few, tmp_path / "parts", MeanColours, CLIPS)
    for number in range(3):
        (few / f"film{number}.mp4").symlink_to(videos / f"film{number}.mp4")
    with pytest.raises(BaselineError, match=r"found 3 video\(s\), expected at least 4"):
        make_clips(few, tmp_path / "parts", MeanColours, CLIPS)
    (few / "film9.mp4").write_bytes(b"no video at all")
    with pytest.raises(BaselineError, match=r"film9.mp4: can't be decoded"):
        make_clips(few, tmp_path / "parts", MeanColours, CLIPS)
    film(few / "film9.mp4", seconds=1, seed=9)
    left_out = make_clips(few, tmp_path / "parts", MeanColours, CLIPS)
    assert left_out.too_short == ("film9",)
    with pytest.raises(BaselineError, match=r"a clip takes 30 s and 4 video\(s\) are shorter"):
        make_clips(few, tmp_path / "parts", MeanColours, replace(CLIPS, length=60))
    features = whitened(left_out, 2)
    with pytest.raises(BaselineError, match="expected at least a batch of 64"):
        train(features, BASE, replace(TRAINING, batch=64), seed=1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--length", "3"], "frames of a clip: found 3, expected at least 4"),
        (["--rate", "0"], "frames a second: found 0"),
        (["--test-share", "1"], "share of test videos: found 1"),
        (["--batch", "1"], "clips a batch: found 1"),
        (["--learning-rate", "nan"], "learning rate: found nan"),
        (["--seeds", "1", "1"], "seeds: found [1, 1], expected one or more, each once"),
        (["--frames", "i3d"], "found the frames' encoder 'i3d'"),
        (["--frames", "vit:{empty}"], "the model"),
        (["--labels", "dino"], "found the frames' encoder 'dino'"),
        ([], "found nothing, expected a folder of videos"),
    ],
)
def test_the_command_says_what_is_wrong(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = [argument.format(empty=tmp_path) for argument in arguments]
    assert main(["copy", str(tmp_path / "nowhere"), str(tmp_path / "out"), *line]) == 2
    assert said in capsys.readouterr().err


def test_settings_are_those_named_else_the_papers_or_a_small_studys() -> None:
    def asked(*line: str) -> tuple[ClipSettings, TrainingSettings]:
        parser = ArgumentParser()
        copy.add_arguments(parser)
        return copy.settings_of(parser.parse_args(["videos", "out", *line]))

    assert asked() == (ClipSettings(), TrainingSettings())
    clips, training = asked("--paper", "--batch", "32", "--copies-seed", "3")
    assert (clips.rate, clips.length, clips.side, clips.seed) == (1, 28, 3, 3)
    assert training == replace(PAPER_TRAINING, batch=32)
    assert (training.steps, training.warm_up, training.learning_rate, training.size) == (30_000, 1_000, 4e-5, 512)


def test_a_file_in_place_of_the_folder_is_said(videos: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BaselineError, match="file: can't be used as a folder"):
        run_study(videos, tmp_path / "file", STUDY, encoder=MeanColours)


def test_a_result_keeps_its_losses_its_seed_and_its_curve(videos: Path, tmp_path: Path) -> None:
    run_study(videos, tmp_path, replace(STUDY, seeds=(4,), ablations=()), encoder=MeanColours)
    result = json.loads((tmp_path / "results" / "video-seed4.json").read_text())
    assert result["seed"] == 4
    assert result["losses"]["lambda_f"] == 0
    assert len(result["curve"]) == 3
    assert json.loads((tmp_path / "study.json").read_text())["encoder"] == {"name": "mean colours"}
