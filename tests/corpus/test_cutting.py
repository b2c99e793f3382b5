"""Clips cut from videos whose every frame tells its number, and what happens to those that can't be cut."""

import io
from pathlib import Path

import av
import numpy as np
import pytest
from django.core.files.storage import default_storage

from corpus.clips import cut_clips_of_video, videos_to_cut
from corpus.film import FilmError, cut_clip, probe_duration
from corpus.models import Clip, Collection, Moment, Video
from corpus.services import import_videos

RATE = 25
FRAMES = 40
STEP = 5


def write_video(path: Path, *, width: int = 64, height: int = 48, frames: int = FRAMES) -> Path:
    """A video in which frame n is grey of level 5n + 16: far enough apart to survive the encoder."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE, options={"crf": "10", "g": "30"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for number in range(frames):
            grey = np.full((height, width, 3), STEP * number + 16, dtype=np.uint8)
            for packet in stream.encode(av.VideoFrame.from_ndarray(grey, format="rgb24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return path


def numbers(mp4: bytes) -> list[int]:
    """The source's frame numbers that a clip's frames show."""
    with av.open(io.BytesIO(mp4)) as container:
        levels = [frame.to_ndarray(format="rgb24").mean() for frame in container.decode(video=0)]
    return [round((level - 16) / STEP) for level in levels]


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_video(tmp_path_factory.mktemp("film") / "grey.mp4")


@pytest.mark.parametrize(
    ("start", "end", "first", "last"),
    [(0.0, 0.4, 0, 9), (0.4, 0.8, 10, 19), (0.52, 0.72, 13, 17), (0.8, 1.6, 20, 39), (1.2, 9.0, 30, 39)],
)
def test_a_clip_begins_and_ends_at_the_very_frame(video: Path, start: float, end: float, first: int, last: int) -> None:
    cut = cut_clip(video, start=start, end=end)
    assert numbers(cut.mp4) == list(range(first, last + 1))
    assert cut.seconds == pytest.approx((last - first + 1) / RATE)


def test_a_clip_is_silent_h264_that_starts_fast_and_has_a_poster(video: Path) -> None:
    cut = cut_clip(video, start=0, end=1)
    with av.open(io.BytesIO(cut.mp4)) as container:
        assert not container.streams.audio
        stream = container.streams.video[0]
        assert (stream.codec_context.name, stream.pix_fmt) == ("h264", "yuv420p")
    assert cut.mp4.index(b"moov") < cut.mp4.index(b"mdat")
    assert cut.poster.startswith(b"\xff\xd8")


def test_a_large_video_becomes_480_lines_and_keeps_its_shape(tmp_path: Path) -> None:
    large = write_video(tmp_path / "large.mp4", width=1280, height=720, frames=5)
    with av.open(io.BytesIO(cut_clip(large, start=0, end=0.2).mp4)) as container:
        stream = container.streams.video[0]
        assert (stream.width, stream.height) == (852, 480)


def test_a_moment_past_the_end_and_a_broken_file_say_what_is_wrong(video: Path, tmp_path: Path) -> None:
    with pytest.raises(FilmError, match=r"grey.mp4 has no frame between 7 s and 8 s"):
        cut_clip(video, start=7, end=8)
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"not a video")
    with pytest.raises(FilmError, match=r"broken.mp4"):
        cut_clip(broken, start=0, end=1)
    with pytest.raises(FilmError, match=r"broken.mp4"):
        probe_duration(broken)


@pytest.fixture
def collection(db: None, video: Path) -> Collection:
    collection = Collection.objects.create(name="grey", title="Grey")
    good = Video.objects.create(collection=collection, name="grey", path=str(video))
    for start, end in ((0, 1), (1, 2), (7, 8)):
        Moment.objects.create(video=good, start=start, end=end)
    Moment.objects.create(video=Video.objects.create(collection=collection, name="gone"), start=0, end=1)
    return collection


def test_what_cannot_be_cut_is_recorded_and_does_not_stop_the_rest(collection: Collection) -> None:
    for one in videos_to_cut(collection):
        cut_clips_of_video(video_id=one.pk)
    made = {(clip.moment.video.name, clip.moment.start): clip for clip in Clip.objects.select_related("moment__video")}
    assert made["grey", 0].ready and made["grey", 1].ready
    assert made["grey", 7].problem == "grey.mp4 has no frame between 7 s and 8 s"
    assert made["gone", 0].problem == "gone has no video file"
    with default_storage.open(made["grey", 1].video_file) as file:
        assert numbers(file.read()) == list(range(25, 40))


def test_cutting_again_changes_no_address_and_tries_failures_only_when_asked(collection: Collection) -> None:
    for one in videos_to_cut(collection):
        cut_clips_of_video(video_id=one.pk)
    before = list(Clip.objects.order_by("pk").values_list("public_name", "video_file"))
    assert not videos_to_cut(collection).exists()
    assert {one.name for one in videos_to_cut(collection, retry=True)} == {"grey", "gone"}
    for one in videos_to_cut(collection, retry=True):
        assert cut_clips_of_video(video_id=one.pk) == 0
        assert cut_clips_of_video(video_id=one.pk, retry=True) == 1
    assert list(Clip.objects.order_by("pk").values_list("public_name", "video_file")) == before


def test_an_address_tells_nothing_of_video_or_times(collection: Collection) -> None:
    names = {Clip(moment=moment).public_name for moment in Moment.objects.all()}
    assert len(names) == 4
    assert all(len(name) == 22 for name in names)


def test_videos_are_told_their_files_and_what_does_not_fit_is_reported(
    collection: Collection, video: Path, tmp_path: Path
) -> None:
    (tmp_path / "grey.mp4").write_bytes(video.read_bytes())
    (tmp_path / "stranger.mkv").write_bytes(video.read_bytes())
    (tmp_path / "notes.txt").write_text("no video")
    broken = Video.objects.create(collection=collection, name="broken", duration=4)
    (tmp_path / "broken.mp4").write_bytes(b"no video either")
    Video.objects.filter(name="grey").update(duration=30)
    report = import_videos(collection=collection, folder=tmp_path)
    assert (report.matched, report.without_file, report.without_video) == (1, ["gone"], ["stranger"])
    assert [name for name, *_ in report.other_duration] == ["grey"]
    assert len(report.unreadable) == 1 and "broken.mp4" in report.unreadable[0]
    broken.refresh_from_db()
    assert broken.path == ""
