"""Cutting clips: exact to the frame, small, silent, and one failure stops nothing else."""

import io
from collections.abc import Callable
from pathlib import Path

import av
import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from corpus.clips import Plan, cut_clips_of_video, videos_to_cut
from corpus.cutting import Cut, cut_clip
from corpus.film import FilmError, probe
from corpus.models import Clip, Collection, Moment, Video
from corpus.videos import VideoReport, import_videos
from tests.corpus.conftest import make_film

Write = Callable[..., Path]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """4 s at 25 frames a second; frame n is of grey level 16 + 2n."""
    return make_film(tmp_path_factory.mktemp("film") / "film.mp4", sound=True)


def numbers(cut: Cut) -> list[int]:
    """Which frames of the film a clip shows, by their grey levels."""
    with av.open(io.BytesIO(cut.mp4)) as clip:
        luma = [frame.to_ndarray()[: frame.height].mean() for frame in clip.decode(video=0)]
    return [round((level - 16) / 2) for level in luma]


STRETCHES = {
    "from the beginning": (0, 1, 0, 24),
    "on a key frame": (0.4, 0.8, 10, 19),
    "between key frames": (1.0, 2.0, 25, 49),
    "one frame": (1.0, 1.04, 25, 25),
    "less than a frame": (1.0, 1.001, 25, 25),
    "a start just after a frame": (1.01, 2.0, 25, 49),
    "a start just before a frame": (0.99, 2.0, 25, 49),
    "a start halfway to a key frame": (0.3801, 0.8, 10, 19),
    "a start short of halfway to a key frame": (0.3799, 0.8, 9, 19),
    "to the last frame": (3.6, 4.0, 90, 99),
    "past the last frame": (3.6, 5.0, 90, 99),
    "all of it": (0, 4, 0, 99),
}


@pytest.mark.parametrize(("start", "end", "first", "last"), STRETCHES.values(), ids=STRETCHES)
def test_a_clip_has_exactly_the_frames_of_its_moment(
    film: Path, start: float, end: float, first: int, last: int
) -> None:
    cut = cut_clip(film, start=start, end=end)
    assert numbers(cut) == list(range(first, last + 1))
    assert cut.seconds == pytest.approx((last - first + 1) / 25)


@pytest.mark.parametrize("suffix", ["mkv", "ts", "mpg"])
def test_times_count_from_the_first_frame_in_any_container(tmp_path: Path, suffix: str) -> None:
    # An MPEG transport stream begins at 1.4 s.
    film = make_film(tmp_path / f"film.{suffix}")
    assert numbers(cut_clip(film, start=1.0, end=2.0)) == list(range(25, 50))


def test_a_clip_is_silent_h264_that_browsers_play(film: Path) -> None:
    cut = cut_clip(film, start=1, end=2)
    with av.open(str(film)) as source:
        assert len(source.streams.audio) == 1
    with av.open(io.BytesIO(cut.mp4)) as clip:
        assert len(clip.streams) == 1
        (stream,) = clip.streams.video
        assert (stream.codec_context.name, stream.codec_context.pix_fmt) == ("h264", "yuv420p")
        assert clip.duration / av.time_base == pytest.approx(1.0, abs=0.001)


def test_a_clip_starts_to_play_before_it_is_all_there(film: Path) -> None:
    mp4 = cut_clip(film, start=1, end=2).mp4
    assert 0 < mp4.index(b"moov") < mp4.index(b"mdat")


SIZES = {
    "full HD": ((1920, 1080), (852, 480)),
    "upright": ((270, 962), (134, 480)),
    "small": ((64, 48), (64, 48)),
    "480 lines": ((640, 480), (640, 480)),
    "tiny": ((2, 2), (2, 2)),
}


@pytest.mark.parametrize(("size", "expected"), SIZES.values(), ids=SIZES)
def test_a_clip_has_at_most_480_lines_and_even_sides(
    tmp_path: Path, size: tuple[int, int], expected: tuple[int, int]
) -> None:
    film = make_film(tmp_path / "film.mp4", seconds=0.4, width=size[0], height=size[1])
    cut = cut_clip(film, start=0, end=0.2)
    with av.open(io.BytesIO(cut.mp4)) as clip:
        assert (clip.streams.video[0].width, clip.streams.video[0].height) == expected


def test_the_poster_is_the_first_frame_as_jpeg(film: Path) -> None:
    from PIL import Image

    cut = cut_clip(film, start=2.0, end=3.0)
    with Image.open(io.BytesIO(cut.poster)) as poster:
        assert (poster.format, poster.size) == ("JPEG", (64, 48))
        # Video levels 16 to 235 become 0 to 255.
        assert poster.convert("L").getpixel((20, 20)) == pytest.approx((2 * 50) * 255 / 219, abs=3)


def test_a_moment_past_the_end_is_an_error_that_says_where(film: Path) -> None:
    with pytest.raises(FilmError, match=r"^film\.mp4 has no frame between 7 s and 9\.5 s$"):
        cut_clip(film, start=7, end=9.5)


def broken_files(film: Path) -> dict[str, bytes]:
    good = film.read_bytes()
    return {
        "nothing": b"",
        "a text": b"once upon a time\n" * 200,
        "zeros": bytes(10_000),
        "half a film": good[: len(good) // 2],
        "a film without its index": good.replace(b"moov", b"xxxx"),
    }


@pytest.mark.parametrize("what", ["nothing", "a text", "zeros", "half a film", "a film without its index"])
def test_a_file_that_is_no_film_is_an_error_that_names_it(film: Path, tmp_path: Path, what: str) -> None:
    path = tmp_path / "broken.mp4"
    path.write_bytes(broken_files(film)[what])
    with pytest.raises(FilmError, match=r"^broken\.mp4 can't be decoded: "):
        cut_clip(path, start=1, end=2)
    with pytest.raises(FilmError, match=r"^broken\.mp4 can't be decoded"):
        probe(path)


def test_a_file_of_sound_only_is_no_video(tmp_path: Path) -> None:
    path = tmp_path / "song.mp4"
    with av.open(str(path), "w") as target:
        voice = target.add_stream("aac", rate=16000, layout="mono")
        target.mux(voice.encode(None))
    with pytest.raises(FilmError):
        cut_clip(path, start=0, end=1)
    with pytest.raises(FilmError):
        probe(path)


def add_video(collection: Collection, film: Path | str, *stretches: tuple[float, float], name: str = "film") -> Video:
    video = Video.objects.create(collection=collection, name=name, path=str(film))
    Moment.objects.bulk_create(Moment(video=video, start=start, end=end) for start, end in stretches)
    return video


def test_a_moment_that_cannot_be_cut_does_not_stop_the_others(collection: Collection, media: Path, film: Path) -> None:
    video = add_video(collection, film, (0, 1), (7, 9), (2, 3))
    assert cut_clips_of_video(video_id=video.pk) == 3
    first, failed, last = Clip.objects.order_by("moment_id")
    assert failed.problem == "film.mp4 has no frame between 7 s and 9 s"
    assert (failed.ready, failed.video_file, failed.poster_file, failed.duration) == (False, "", "", None)
    for clip in (first, last):
        assert (clip.problem, clip.ready, clip.duration) == ("", True, 1.0)
        assert clip.video_file == f"clips/{clip.public_name[:2]}/{clip.public_name}.mp4"
        assert default_storage.open(clip.poster_file).read(2) == b"\xff\xd8"
        assert b"ftyp" in default_storage.open(clip.video_file).read(12)
    assert len([file for file in media.rglob("*") if file.is_file()]) == 4


def test_cutting_again_cuts_nothing_and_keeps_every_address(collection: Collection, media: Path, film: Path) -> None:
    video = add_video(collection, film, (0, 1), (7, 9))
    cut_clips_of_video(video_id=video.pk)
    before = list(Clip.objects.order_by("pk").values())
    assert cut_clips_of_video(video_id=video.pk) == 0
    assert list(Clip.objects.order_by("pk").values()) == before
    assert not videos_to_cut(collection).exists()
    assert list(videos_to_cut(collection, Plan(retry=True))) == [video]


def test_a_retry_cuts_what_failed_and_nothing_else(collection: Collection, media: Path, film: Path) -> None:
    video = add_video(collection, "", (0, 1), (2, 3))
    cut_clips_of_video(video_id=video.pk)
    assert set(Clip.objects.values_list("problem", flat=True)) == {"film has no video file"}
    Video.objects.update(path="/nowhere/film.mp4")
    assert cut_clips_of_video(video_id=video.pk, plan=Plan(retry=True)) == 2
    assert set(Clip.objects.values_list("problem", flat=True)) == {"the file of film is gone"}
    Video.objects.update(path=str(film))
    names = set(Clip.objects.values_list("public_name", flat=True))
    assert cut_clips_of_video(video_id=video.pk, plan=Plan(retry=True)) == 2
    assert all(clip.ready and not clip.problem for clip in Clip.objects.all())
    assert set(Clip.objects.values_list("public_name", flat=True)) == names
    assert cut_clips_of_video(video_id=video.pk, plan=Plan(retry=True)) == 0
    assert not videos_to_cut(collection, Plan(retry=True)).exists()


def test_importing_videos_reports_what_does_not_fit(collection: Collection, film: Path, tmp_path: Path) -> None:
    folder = tmp_path / "films"
    folder.mkdir()
    for name in ("exact.mp4", "unknown.MP4", "longer.mp4", "stray.mp4"):
        (folder / name).write_bytes(film.read_bytes())
    (folder / "broken.mkv").write_bytes(b"no film")
    (folder / "exact.txt").write_text("subtitles")
    stated = {"exact": 4.2, "unknown": None, "longer": 9.0, "broken": 5.0, "absent": 5.0}
    for name, duration in stated.items():
        Video.objects.create(collection=collection, name=name, duration=duration)
    report = import_videos(collection=collection, folder=folder)
    unreadable = report.unreadable.pop()
    assert unreadable.startswith("broken.mkv is not a video that can be read")
    assert report == VideoReport(3, ["absent"], ["stray"], [("longer", 9.0, pytest.approx(4.0, abs=0.05))], [])
    durations = dict(collection.videos.values_list("name", "duration"))
    assert durations == {**stated, "unknown": pytest.approx(4.0, abs=0.05)}
    paths = dict(collection.videos.values_list("name", "path"))
    assert paths["unknown"] == str(folder / "unknown.MP4")
    assert (paths["broken"], paths["absent"]) == ("", "")


def test_a_film_that_states_no_length_leaves_the_duration_open(
    collection: Collection, film: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Video.objects.create(collection=collection, name="film")
    for said in (None, 0.0):
        monkeypatch.setattr("corpus.videos.probe_duration", lambda path, said=said: said)
        assert import_videos(collection=collection, folder=film.parent).matched == 1
        assert collection.videos.get().duration is None


def test_the_import_command_refuses_what_is_no_folder(collection: Collection, film: Path) -> None:
    with pytest.raises(CommandError, match=r"film\.mp4 is not a folder$"):
        call_command("import_videos", "paper", str(film))
    with pytest.raises(CommandError, match=r"There is no collection 'nope'\. Collections: paper\."):
        call_command("import_videos", "nope", str(film.parent))


def test_the_cut_command_says_what_is_there_and_what_failed(
    collection: Collection, media: Path, film: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_video(collection, film, (0, 1), (7, 9))
    lost = add_video(collection, "", (0, 1), name="lost")
    call_command("cut_clips", "paper")
    said = capsys.readouterr().out
    assert "1 clips are there, 2 failed." in said
    assert "  film.mp4 has no frame between 7 s and 9 s\n  lost has no video file\n" in said
    Video.objects.filter(pk=lost.pk).update(path=str(film))
    call_command("cut_clips", "paper")
    assert "1 clips are there, 2 failed." in capsys.readouterr().out
    call_command("cut_clips", "paper", "--retry")
    assert "2 clips are there, 1 failed." in capsys.readouterr().out


def test_the_cut_command_refuses_a_collection_that_is_not_there(db: None) -> None:
    with pytest.raises(CommandError, match=r"There is no collection 'nope'\. Collections: none yet\."):
        call_command("cut_clips", "nope")
