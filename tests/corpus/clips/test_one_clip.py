"""One clip cut from a film: exact to the frame, small, silent, playing at once; and files that are no film."""

import io
from pathlib import Path

import av
import pytest

from corpus.clips.cut import Cut
from corpus.clips.probe import probe
from corpus.clips.video_reader import FilmError
from tests.corpus.conftest import make_film
from tests.corpus.films import cut_clip


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


def test_a_file_that_has_neither_pictures_nor_sound_is_no_video(tmp_path: Path) -> None:
    path = tmp_path / "song.mp4"
    with av.open(str(path), "w") as target:
        voice = target.add_stream("aac", rate=16000, layout="mono")
        target.mux(voice.encode(None))
    with pytest.raises(FilmError):
        cut_clip(path, start=0, end=1)
    with pytest.raises(FilmError):
        probe(path)
