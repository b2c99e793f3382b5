"""A file of features gives back what was put in, and says what is wrong with a broken one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from baselines.errors import BaselineError
from baselines.features.opening import open_features, require_fit, require_same_features
from baselines.features.store import FeatureFile
from baselines.features.writing import FeatureWriter, VideoFeatures
from tests.baselines.worlds import CLIP, VISUAL, WORDS, manifest_of, rows, write_features

DURATIONS: dict[str, float | None] = {"night": 9.0, "noon": 12.0, "morning": None}


def test_features_come_back_as_they_went_in_to_half_precision(tmp_path: Path) -> None:
    features = write_features(tmp_path / "f.h5", texts=["A man rests."])
    assert features.videos == ("morning", "night", "noon")
    assert np.allclose(features.visual("night"), rows(6, seed=0), atol=1e-2)
    assert features.visual("night").dtype == np.float32
    assert features.subtitles("night") is None
    assert features.words("A man rests.").shape == (3, WORDS)
    assert (features.clips("noon"), features.duration("noon"), features.clip_seconds) == (8, 12.0, CLIP)
    with h5py.File(tmp_path / "f.h5") as file:
        assert file["visual/night"].dtype == np.float16


@pytest.mark.parametrize("name", ["a/b", "100%", "%2F", ".", "Ünïcode 夜"])
def test_a_video_may_have_any_name(tmp_path: Path, name: str) -> None:
    features = write_features(tmp_path / "f.h5", {name: 2})
    assert features.videos == (name,)
    assert features.visual(name).shape == (2, VISUAL)


def test_more_videos_are_added_and_what_was_there_is_kept(tmp_path: Path) -> None:
    before = write_features(tmp_path / "f.h5", {"night": 6}, texts=["A man."])
    old = before.visual("night")
    before.close()
    writer = FeatureWriter(tmp_path / "f.h5", manifest_of())
    assert writer.has("night", "night.mp4 6")
    assert not writer.has("night", "night.mp4 7"), "another file of that name is another video"
    writer.add("noon", VideoFeatures(3.0, "noon.mp4 2", rows(2)))
    after = writer.finish()
    assert after.videos == ("night", "noon")
    assert np.array_equal(after.visual("night"), old)
    assert after.stored_texts == ["A man."]
    assert [path.name for path in tmp_path.iterdir()] == ["f.h5"], "nothing is left beside it"


def test_what_was_begun_is_taken_up_by_the_next_writer(tmp_path: Path) -> None:
    FeatureWriter(tmp_path / "f.h5", manifest_of()).add("night", VideoFeatures(3.0, "night.mp4 2", rows(2)))
    writer = FeatureWriter(tmp_path / "f.h5", manifest_of(code={"version": "1"}))
    assert writer.has("night", "night.mp4 2")
    assert writer.finish().videos == ("night",)


@pytest.mark.parametrize("whole", [True, False])
def test_other_settings_for_the_same_file_are_refused_and_nothing_is_lost(tmp_path: Path, whole: bool) -> None:
    if whole:
        write_features(tmp_path / "f.h5").close()
    else:
        FeatureWriter(tmp_path / "f.h5", manifest_of()).add("night", VideoFeatures(3.0, "night.mp4 2", rows(2)))
    with pytest.raises(BaselineError, match=r"made with frames_per_second = 3.0, asked for is 2.0; give another OUT"):
        FeatureWriter(tmp_path / "f.h5", manifest_of(frames_per_second=2.0))
    assert FeatureWriter(tmp_path / "f.h5", manifest_of()).has("night", "night.mp4 6" if whole else "night.mp4 2")


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e6])
def test_a_number_that_half_precision_cannot_hold_is_refused_with_its_clip(tmp_path: Path, value: float) -> None:
    broken = rows(3)
    broken[1, 2] = value
    with pytest.raises(
        BaselineError, match="the video 'night', visual, clip 1: the encoder gave NaN or a number above"
    ):
        FeatureWriter(tmp_path / "f.h5", manifest_of()).add("night", VideoFeatures(4.5, "night.mp4 1", broken))


def test_nan_in_a_file_is_named_by_video_and_row(tmp_path: Path) -> None:
    write_features(tmp_path / "f.h5").close()
    with h5py.File(tmp_path / "f.h5", "r+") as file:
        file["visual/noon"][4, 0] = np.nan
    with pytest.raises(BaselineError, match="visual of the video 'noon', row 4: found NaN"):
        FeatureFile(tmp_path / "f.h5").visual("noon")


def test_a_wrong_dimension_is_named_with_the_one_expected(tmp_path: Path) -> None:
    write_features(tmp_path / "f.h5").close()
    with h5py.File(tmp_path / "f.h5", "r+") as file:
        del file["visual/noon"]
        file["visual/noon"] = np.zeros((8, 5), np.float16)
    with pytest.raises(BaselineError, match=r"'noon': found the shape \(8, 5\), expected \(8, 6\)"):
        FeatureFile(tmp_path / "f.h5").visual("noon")


def test_a_file_that_was_cut_off_is_told_from_one_of_another_kind(tmp_path: Path) -> None:
    write_features(tmp_path / "f.h5").close()
    whole = (tmp_path / "f.h5").read_bytes()
    (tmp_path / "cut.h5").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.h5").write_text("no features")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["night"] = np.zeros((2, 2))
    for name, said in [
        ("cut.h5", "found no whole HDF5 file"),
        ("text.h5", "found no whole HDF5 file"),
        ("other.h5", "found an HDF5 file without the manifest"),
        ("gone.h5", "found nothing, expected a file of features"),
    ]:
        with pytest.raises(BaselineError, match=said):
            open_features(tmp_path / name)


def test_a_video_without_features_is_named_before_anything_is_trained(tmp_path: Path) -> None:
    features = write_features(tmp_path / "f.h5", {"night": 6, "noon": 8})
    with pytest.raises(BaselineError, match="no features for 1 of 3 videos of release, among them 'morning'"):
        require_fit(features, DURATIONS, Path("release"))
    with pytest.raises(BaselineError, match="found no visual features of the video 'morning' among 2 videos"):
        features.visual("morning")


def test_another_clip_length_shows_in_the_number_of_clips(tmp_path: Path) -> None:
    require_fit(write_features(tmp_path / "f.h5"), DURATIONS, Path("release"))
    twice = write_features(tmp_path / "twice.h5", {"night": 12, "noon": 16, "morning": 8})
    with pytest.raises(BaselineError, match=r"2.0 times as many clips .* another frame rate or clip length"):
        require_fit(twice, DURATIONS, Path("release"))
    half = write_features(tmp_path / "half.h5", {"night": 6, "noon": 2, "morning": 4})
    with pytest.raises(BaselineError, match=r"found 2 clips for the video 'noon' of 12 s, expected 8 of 1.5 s"):
        require_fit(half, DURATIONS, Path("release"))


def test_a_model_is_not_given_features_of_another_kind(tmp_path: Path) -> None:
    features = write_features(tmp_path / "f.h5")
    newer = {**manifest_of()["frames"], "library": "another version"}
    require_same_features(features, manifest_of(code={}, frames=newer), "XML.pt")
    other = {**manifest_of()["frames"], "weights": "1" * 64}
    with pytest.raises(BaselineError, match="found frames = "):
        require_same_features(features, manifest_of(frames=other), "XML.pt")
    with pytest.raises(BaselineError, match=r"found clip_seconds = 1.5, expected 2.0, on which XML.pt was trained"):
        require_same_features(features, manifest_of(clip_seconds=2.0), "XML.pt")


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """Features in the layout of the published TVR features."""
    files: dict[str, dict[str, Any]] = {
        "video.h5": {"night": rows(6, 5), "noon": rows(8, 5)},
        "sub.h5": {"night": rows(6, 3), "night-mask": np.ones(6), "noon": rows(8, 3), "noon-lengths": np.ones(2)},
        "query.h5": {"10": rows(4, 2), "4b": rows(2, 2)},
    }
    for name, datasets in files.items():
        with h5py.File(tmp_path / name, "w") as file:
            for key, values in datasets.items():
                file[key] = values
    path = tmp_path / "tvr.json"
    path.write_text(json.dumps({"clip_seconds": 1.5, "visual": "video.h5", "subtitles": "sub.h5", "words": "query.h5"}))
    return path


def test_features_made_elsewhere_are_read_as_they_are(published: Path) -> None:
    features = open_features(published)
    assert features.videos == ("night", "noon")
    assert (features.visual_size, features.subtitle_size, features.word_size) == (5, 3, 2)
    assert np.array_equal(features.visual("noon"), rows(8, 5))
    said = features.subtitles("night")
    assert said is not None
    assert said.shape == (6, 3)
    assert features.words("whatever it says", "4b").shape == (2, 2)
    require_fit(features, {"night": 9.0, "noon": 12.0}, Path("release"))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"visual": "gone.h5"}, "gone.h5: found nothing"),
        ({"clip_seconds": 0}, "found clip_seconds 0"),
        ({"words": 3}, "found words 3"),
        ({"colour": "red"}, "found 'colour'"),
    ],
)
def test_a_wrong_list_of_files_is_refused(published: Path, changed: dict[str, Any], said: str) -> None:
    published.write_text(json.dumps(json.loads(published.read_text()) | changed))
    with pytest.raises(BaselineError, match=said):
        open_features(published)


def test_a_query_that_published_features_lack_is_named(published: Path) -> None:
    with pytest.raises(BaselineError, match=r"query.h5: found no dataset for the query_id '11'"):
        open_features(published).words("A man", "11")


def test_subtitles_of_another_length_than_the_video_are_refused(published: Path) -> None:
    with h5py.File(published.parent / "sub.h5", "r+") as file:
        del file["noon"]
        file["noon"] = rows(7, 3)
    with pytest.raises(BaselineError, match=r"the video 'noon': found the shape \(7, 3\), expected \(8, 3\)"):
        open_features(published).subtitles("noon")
