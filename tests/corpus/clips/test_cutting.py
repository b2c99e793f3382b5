"""The pictures of clips against those of their films, as another program decodes them."""

import io
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from corpus.clips.cut import Cut, CutSpan, cut_film
from corpus.clips.video_reader import FilmError, open_film
from tests.corpus import films
from tests.corpus.films import cut_clip

pytestmark = pytest.mark.long

SMALL_DIFFERENCE = 6.0
"""Mean difference (0-255) that encoding and scaling may make; another frame of a drawn film is at 18 and more."""


def pictures(cut: Cut) -> list[np.ndarray]:
    with av.open(io.BytesIO(cut.mp4)) as clip:
        return [frame.to_ndarray(format="rgb24") for frame in clip.decode(video=0)]


def assert_shows(cut: Cut, source: list[np.ndarray], first: int, last: int) -> None:
    """The clip has the frames first to last, and no neighbour is nearer to its ends."""
    shown = pictures(cut)
    assert len(shown) == last - first + 1
    for picture, number in ((shown[0], first), (shown[-1], last)):
        own = films.difference(source[number], picture)
        assert own < SMALL_DIFFERENCE
        for neighbour in (number - 1, number + 1):
            if 0 <= neighbour < len(source):
                assert own <= films.difference(source[neighbour], picture)


UNSTEADY = [
    Fraction(tick, 100)
    for tick in (0, 4, 8, 12, 40, 44, 50, 51, 52, 53, 80, 150, 154, 158, 160, 200, 203, 206, 260, 264, 268, 272, 300)
]

FILMS = {
    "10 a second": {"times": films.steady(10, 40)},
    "24 a second": {"times": films.steady(24, 96)},
    "23.976 a second": {"times": films.steady(Fraction(24000, 1001), 96)},
    "29.97 a second": {"times": films.steady(Fraction(30000, 1001), 90)},
    "60 a second": {"times": films.steady(60, 180)},
    "no steady rate": {"times": UNSTEADY},
    "key frames far apart": {"times": films.steady(25, 100), "options": {"g": "500", "bf": "8", "b-pyramid": "normal"}},
    "open groups of pictures": {"times": films.steady(25, 100), "options": {"x264-params": "open-gop=1:bframes=3"}},
    "an odd size": {"times": films.steady(25, 75), "width": 161, "height": 97, "pix_fmt": "yuv444p"},
    "turned by 90": {"times": films.steady(25, 75), "rotation": 90},
    "turned by -90": {"times": films.steady(25, 75), "rotation": -90},
    "turned by 180": {"times": films.steady(25, 75), "rotation": 180},
    "wide pixels": {"times": films.steady(25, 75), "pixel_aspect": Fraction(64, 45)},
    "narrow pixels": {"times": films.steady(25, 75), "pixel_aspect": Fraction(8, 9)},
    "large": {"times": films.steady(25, 50), "width": 1280, "height": 720},
}
SIZES = {
    "an odd size": (160, 96),
    "turned by 90": (96, 160),
    "turned by -90": (96, 160),
    "turned by 180": (160, 96),
    "wide pixels": (228, 96),
    "narrow pixels": (142, 96),
    "large": (852, 480),
}
CONTAINERS = ["mp4", "mkv"]


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("what", FILMS)
def test_a_clip_begins_and_ends_with_the_frames_that_the_film_shows_then(
    tmp_path: Path, what: str, container: str
) -> None:
    film = films.draw_film(tmp_path / f"film.{container}", **FILMS[what])
    source, times = films.seen_by_ffmpeg(film), films.times_of(film)
    assert len(source) == len(times) == len(FILMS[what]["times"])
    count = len(times)
    # A little after a frame has begun to show, so that this frame is meant.
    at = [time + 0.1 * (later - time) for time, later in pairwise(times)]
    spans = [(0, 5), (3, 4), (count // 3, count // 2), (count // 2 + 1, count - 1), (count // 4, count - 3)]
    results = dict(cut_film(film, [CutSpan(at[first], at[last] if last < len(at) else 99) for first, last in spans]))
    for place, (first, last) in enumerate(spans):
        cut = results[place]
        assert isinstance(cut, Cut), cut
        assert_shows(cut, source, first, last - 1 if last < len(at) else count - 1)
        if what in SIZES:
            assert pictures(cut)[0].shape[1::-1] == SIZES[what]


@pytest.mark.parametrize("name", films.REAL)
def test_clips_of_real_files_show_their_frames(name: str) -> None:
    film = films.real_film(name)
    source, times = films.seen_by_ffmpeg(film), films.times_of(film)
    spans = [(0, 20), (17, 49), (40, 90), (len(times) - 30, len(times))]
    stretches = [CutSpan(times[first], times[last] if last < len(times) else times[-1] + 1) for first, last in spans]
    results = dict(cut_film(film, stretches))
    for place, (first, last) in enumerate(spans):
        cut = results[place]
        assert isinstance(cut, Cut), cut
        assert_shows(cut, source, first, last - 1)


def test_what_is_cut_in_one_walk_is_what_is_cut_alone() -> None:
    film = films.real_film("bikes.mp4")
    stretches = [CutSpan(0.3, 2.1), CutSpan(8.2, 9.9), CutSpan(1.0, 1.5), CutSpan(1.0, 4.0), CutSpan(5.0, 5.02)]
    together = dict(cut_film(film, stretches, threads=1))
    for place, stretch in enumerate(stretches):
        ((_, alone),) = cut_film(film, [stretch], threads=1)
        assert alone == together[place]


def test_a_picture_that_is_held_is_shown_as_long_as_the_moment_has_it(tmp_path: Path) -> None:
    # One picture from 0.12 s to 2 s and another to 4 s: slides, or a screen on which nothing happens.
    times = [*films.steady(25, 4), Fraction(2), *(Fraction(4) + time for time in films.steady(25, 25))]
    film = films.draw_film(tmp_path / "film.mp4", times)
    source = films.seen_by_ffmpeg(film)
    cut = cut_clip(film, start=1.0, end=3.5)
    assert_shows(cut, source, 3, 4)
    assert cut.seconds == pytest.approx(2.5)
    with av.open(io.BytesIO(cut.mp4)) as clip:
        assert [frame.time for frame in clip.decode(video=0)] == pytest.approx([0.0, 1.0])
        assert clip.duration / av.time_base == pytest.approx(2.5, abs=0.001)
    within = cut_clip(film, start=2.5, end=3.0)
    assert_shows(within, source, 4, 4)
    assert within.seconds == pytest.approx(0.5)


def test_a_moment_shorter_than_a_frame_is_the_frame_shown_then(tmp_path: Path) -> None:
    film = films.draw_film(tmp_path / "film.mp4", films.steady(10, 30))
    assert_shows(cut_clip(film, start=1.07, end=1.08), films.seen_by_ffmpeg(film), 10, 10)


def test_a_clip_of_a_turned_film_is_not_turned_again(tmp_path: Path) -> None:
    film = films.draw_film(tmp_path / "film.mp4", films.steady(25, 25), rotation=90)
    with av.open(io.BytesIO(cut_clip(film, start=0, end=0.5).mp4)) as clip:
        frame = next(clip.decode(video=0))
        assert (frame.rotation, clip.streams.video[0].sample_aspect_ratio or 1) == (0, 1)


def test_pictures_of_full_range_keep_their_brightness(tmp_path: Path) -> None:
    film = films.draw_film(tmp_path / "film.mp4", films.steady(25, 25), pix_fmt="yuvj420p")
    assert_shows(cut_clip(film, start=0.2, end=0.6), films.seen_by_ffmpeg(film), 5, 14)


def test_nothing_in_a_clip_tells_where_it_came_from(tmp_path: Path) -> None:
    tags = {"title": "friends_s01e01", "comment": "seen at 12:34", "creation_time": "2020-02-02T02:02:02Z"}
    film = films.draw_film(tmp_path / "friends_s01e01.mp4", films.steady(25, 50), tags=tags)
    with av.open(str(film)) as source:
        assert source.metadata["title"] == "friends_s01e01"
    cut = cut_clip(film, start=0.5, end=1.5)
    with av.open(io.BytesIO(cut.mp4)) as clip:
        assert set(clip.metadata) == {"major_brand", "minor_version", "compatible_brands"}
        (stream,) = clip.streams
        assert dict(stream.metadata) == {"language": "und", "handler_name": "VideoHandler"}
        assert stream.start_time == 0
    for content in (cut.mp4, cut.poster):
        assert not any(word in content for word in (b"friends", b"12:34", b"2020", b"Lavf", b"Exif"))
    # Cut again, or out of a copy under another name, it is the same to the byte: no clock and no path goes in. By one
    # thread, since several may choose otherwise on a busy machine.
    copy = tmp_path / "other.mp4"
    copy.write_bytes(film.read_bytes())
    clip, *others = (dict(cut_film(path, [CutSpan(0.5, 1.5)], threads=1)) for path in (film, film, copy, copy))
    assert all(other == clip for other in others)


def test_the_same_pictures_are_the_same_bytes_every_time() -> None:
    """x264's macroblock tree gives others once in a few dozen times for this film."""
    film = films.real_film("carphone_distorted.mp4")
    cuts = [dict(cut_film(film, [CutSpan(0.2, 2.2)], threads=1)) for _ in range(20)]
    assert all(cut == cuts[0] for cut in cuts)


def test_a_damaged_place_fails_the_clips_that_need_it_and_no_others(tmp_path: Path) -> None:
    content = bytearray(films.real_film("bikes.mp4").read_bytes())
    content[200_000:230_000] = np.random.default_rng(1).integers(0, 256, 30_000, np.uint8).tobytes()
    film = tmp_path / "bikes.mp4"
    film.write_bytes(content)
    results = dict(cut_film(film, [CutSpan(second, second + 1) for second in range(9)]))
    failed = {place for place, result in results.items() if isinstance(result, FilmError)}
    assert {3, 4} <= failed
    assert {0, 1, 7, 8}.isdisjoint(failed)
    assert str(results[4]).startswith("bikes.mp4 can't be decoded after ")


def test_a_moment_that_ends_past_the_film_fails_beyond_the_slack(tmp_path: Path) -> None:
    film = films.draw_film(tmp_path / "film.mp4", films.steady(25, 50))
    results = dict(cut_film(film, [CutSpan(1, 2.9), CutSpan(1, 3.1), CutSpan(1, 3.1, whole=False)], slack=1.0))
    assert [isinstance(results[place], Cut) for place in range(3)] == [True, False, True]
    assert str(results[1]) == "film.mp4 ends at 2.00 s, and the moment only at 3.1 s"


def test_a_key_frame_before_the_next_moment_is_jumped_to(tmp_path: Path) -> None:
    film = films.draw_film(tmp_path / "film.mp4", films.steady(25, 100))
    with open_film(film) as opened:
        assert opened.jump_pays(0.0, 2.0)
        assert not opened.jump_pays(1.95, 2.0), "the key frame at 1.92 s is behind"


def tone(path: Path, *, shift: float = 0.0) -> Path:
    """A film of 4 s whose sound is silent but for the second from 2 to 3."""
    with av.open(str(path), "w") as target:
        picture = target.add_stream("libx264", rate=25, options={"preset": "veryfast"})
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        voice = target.add_stream("aac", rate=44100, layout="mono")
        for number in range(100):
            frame = av.VideoFrame.from_ndarray(films.draw(number, 64, 48), format="rgb24")
            target.mux(picture.encode(frame))
        target.mux(picture.encode(None))
        time = np.arange(4 * 44100) / 44100
        wave = np.where((time >= 2) & (time < 3), np.sin(time * 2 * np.pi * 440), 0).astype(np.float32)
        for number in range(len(wave) // 1024):
            part = wave[None, number * 1024 : (number + 1) * 1024]
            heard = av.AudioFrame.from_ndarray(np.ascontiguousarray(part), format="fltp", layout="mono")
            heard.sample_rate, heard.pts = 44100, number * 1024
            target.mux(voice.encode(heard))
        target.mux(voice.encode(None))
    return path


@pytest.mark.parametrize("container", ["mp4", "mkv", "ts"])
def test_sound_that_is_kept_is_in_time_with_the_pictures(tmp_path: Path, container: str) -> None:
    film = tone(tmp_path / f"film.{container}")
    cut = cut_clip(film, start=1.5, end=3.5, sound=True)
    with av.open(io.BytesIO(cut.mp4)) as clip:
        assert [stream.codec_context.name for stream in clip.streams] == ["h264", "aac"]
        heard = [frame for frame in clip.decode(audio=0)]
        wave = np.concatenate([frame.to_ndarray()[0] for frame in heard])
        offset, rate = float(heard[0].pts * heard[0].time_base), heard[0].sample_rate
    loud = np.flatnonzero(np.abs(wave) > 0.2) / rate + offset
    assert loud[0] == pytest.approx(0.5, abs=0.04)
    assert loud[-1] == pytest.approx(1.5, abs=0.04)
    assert 0 < cut.mp4.index(b"moov") < cut.mp4.index(b"mdat")


def test_a_film_without_sound_gives_a_clip_without(tmp_path: Path) -> None:
    film = films.draw_film(tmp_path / "film.mp4", films.steady(25, 25))
    with av.open(io.BytesIO(cut_clip(film, start=0, end=1, sound=True).mp4)) as clip:
        assert len(clip.streams) == 1


def test_a_gif_shows_three_pictures_a_second_as_large_as_the_clip(tmp_path: Path) -> None:
    from PIL import Image

    film = films.draw_film(tmp_path / "film.mp4", films.steady(25, 75), width=1280, height=720)
    source = films.seen_by_ffmpeg(film)
    ((_, cut),) = cut_film(film, [CutSpan(1.0, 2.0, mp4=False, gif=True)])
    assert isinstance(cut, Cut)
    assert (cut.mp4, cut.poster) == (b"", b"")
    with Image.open(io.BytesIO(cut.gif)) as gif:
        assert (gif.format, gif.n_frames, gif.size, gif.info["loop"]) == ("GIF", 3, (852, 480), 0)
        total = 0
        # At 0, 1/3 and 2/3 s of the clip the film shows these.
        for number, expected in enumerate((25, 33, 41)):
            gif.seek(number)
            total += gif.info["duration"]
            shown = np.asarray(gif.convert("RGB"))
            assert films.difference(source[expected], shown) < 12
            assert films.difference(source[expected], shown) < films.difference(source[expected + 1], shown)
        assert total == 1000
