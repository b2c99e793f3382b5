"""Containers times codecs times oddities: from wherever a film is read, no picture is lost, and each has its time."""

import io
from functools import cache
from pathlib import Path

import av
import pytest

from baselines.reading import videos as of_baselines
from baselines.reading.videos import frames
from corpus.clips import video_reader
from corpus.clips.cut import Cut, CutSpan, cut_film
from corpus.clips.probe import probe
from corpus.clips.video_reader import open_film
from tests.corpus import films
from tests.corpus.films import number_in, run_ffmpeg

COUNT = 48
RATE = 25
SOUND = ("-f", "lavfi", "-i", "sine=d=4:r=44100")
"""Longer than the pictures."""
H264 = ("-c:v", "libx264", "-preset", "veryfast", "-crf", "10", "-g", "12", "-sc_threshold", "0", "-bf", "3")
OPEN = (*H264, "-x264-params", "open-gop=1:keyint=12:min-keyint=12:scenecut=0")
H265 = ("-c:v", "libx265", "-preset", "ultrafast", "-crf", "10", "-x265-params")
CLOSED265 = (*H265, "log-level=error:open-gop=0:bframes=3:keyint=12:min-keyint=12")
OPEN265 = (*H265, "log-level=error:open-gop=1:bframes=3:keyint=12:min-keyint=12")
MPEG2 = ("-c:v", "mpeg2video", "-q:v", "2", "-g", "12", "-bf", "2")
MPEG1 = ("-c:v", "mpeg1video", "-q:v", "2", "-g", "12", "-bf", "2")
MPEG4 = ("-c:v", "mpeg4", "-q:v", "2", "-g", "12", "-bf", "2")
XVID = ("-c:v", "libxvid", "-q:v", "2", "-g", "12", "-bf", "2")
VP9 = ("-c:v", "libvpx-vp9", "-b:v", "2M", "-g", "12", "-deadline", "realtime", "-cpu-used", "8")
LATE = ("-output_ts_offset", "1.2")
EARLY = ("-output_ts_offset", "-0.4", "-avoid_negative_ts", "disabled")

FILMS: dict[str, tuple[str, ...]] = {
    "h264.mp4": H264,
    "h264 open.mp4": OPEN,
    "h264 late.mp4": (*H264, *LATE),
    "h264 early.mp4": (*H264, *EARLY),
    "h264 with longer sound.mp4": (*SOUND, *H264, "-c:a", "aac"),
    "h264 in fragments.mp4": (*H264, "-movflags", "frag_keyframe+empty_moov"),
    "h265 open.mp4": OPEN265,
    "mpeg4.mp4": MPEG4,
    "mjpeg.mov": ("-c:v", "mjpeg", "-q:v", "2"),
    "h264 open late.mkv": (*OPEN, *LATE),
    "h264 without an index.mkv": (*SOUND, *H264, "-c:a", "aac", "-live", "1"),
    "h265 open.mkv": OPEN265,
    "mpeg2.mkv": MPEG2,
    "vp9.webm": VP9,
    "vp9 with longer sound.webm": (*SOUND, *VP9, "-c:a", "libopus", "-ar", "48000"),
    "h264.ts": H264,
    "h264 open.ts": OPEN,
    "h264 with one key frame.ts": (*H264, "-g", "500"),
    "h264 refreshed without key frames.ts": (*H264, "-bf", "0", "-x264-params", "intra-refresh=1"),
    "h264 late, with longer sound.ts": (*SOUND, *H264, "-c:a", "aac", *LATE),
    "h264 open.m2ts": OPEN,
    "h265 open.ts": OPEN265,
    "h265.m2ts": CLOSED265,
    "mpeg2.ts": MPEG2,
    "mpeg1.mpg": MPEG1,
    "mpeg2.mpg": MPEG2,
    "mpeg2 with longer sound.vob": (*SOUND, *MPEG2, "-c:a", "mp2"),
    "h264.vob": H264,
    "h264.avi": H264,
    "h264 open.avi": OPEN,
    "mpeg2.avi": MPEG2,
    "mpeg4.avi": MPEG4,
    "mpeg4 without b-frames.avi": (*MPEG4, "-bf", "0"),
    "mpeg4 with longer sound.avi": (*SOUND, *MPEG4, "-c:a", "mp2"),
    "xvid packed.avi": XVID,
    "h264.wmv": H264,
    "mpeg4.wmv": MPEG4,
    "wmv2 with longer sound.wmv": (*SOUND, "-c:v", "wmv2", "-q:v", "2", "-g", "12", "-c:a", "wmav2"),
    "h264.flv": H264,
    "theora.ogv": ("-c:v", "libtheora", "-q:v", "9", "-g", "12"),
    "mpeg2.mxf": MPEG2,
    "h264.mxf": H264,
    "h264.h264": H264,
    "h265.hevc": CLOSED265,
    "mpeg1.m1v": MPEG1,
}


@cache
def pictures_of_all() -> bytes:
    return b"".join(films.draw(number, 160, 96).tobytes() for number in range(COUNT))


def encoded(path: Path, *arguments: str) -> Path:
    """A film of `COUNT` numbered pictures, made by the program ffmpeg."""
    raw = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", "160x96", "-r", str(RATE), "-i", "-")
    run_ffmpeg(
        *raw,
        *arguments,
        "-pix_fmt",
        "yuvj420p" if "mjpeg" in arguments else "yuv420p",
        path,
        pictures=pictures_of_all(),
    )
    return path


def plainly_decoded(path: Path, track: int = 0) -> list[int]:
    """The numbers of all pictures, read from the first to the last."""
    with av.open(f"file:{path}") as container:
        return [number_in(frame.to_ndarray(format="rgb24")) for frame in container.decode(video=track)]


def numbers(cut: Cut) -> list[int]:
    with av.open(io.BytesIO(cut.mp4)) as clip:
        return [number_in(frame.to_ndarray(format="rgb24")) for frame in clip.decode(video=0)]


def assert_every_picture_is_found(path: Path, whole: list[int], *, steady: bool = True) -> None:
    with open_film(path, threads=1) as film:
        read = [(number_in(picture.frame.to_ndarray(format="rgb24")), picture.time) for picture in film.pictures(0.0)]
        assert [number for number, _ in read] == whole
        times = [time for _, time in read]
        assert not steady or times == pytest.approx([place / RATE for place in range(len(whole))], abs=0.002)
        for place in range(1, len(whole), 4):
            shown = [picture for picture in film.pictures(times[place]) if picture.time > times[place] - 0.002]
            assert [picture.time for picture in shown] == pytest.approx(times[place:], abs=0.002)
            assert [number_in(picture.frame.to_ndarray(format="rgb24")) for picture in shown] == whole[place:]
    rows = [number_in(frame.picture) for frame in frames(path, rate=RATE, size=(160, 96)) if frame.picture is not None]
    assert (rows if steady else list(dict.fromkeys(rows))) == whole


@pytest.mark.parametrize("name", FILMS)
def test_every_picture_is_found_at_its_time_from_wherever_a_film_is_read(tmp_path: Path, name: str) -> None:
    film = encoded(tmp_path / name, *FILMS[name])
    whole = plainly_decoded(film)
    if "early" in name:  # what lies before 0 isn't shown
        assert whole == list(range(COUNT - len(whole), COUNT))
    else:
        assert whole == list(range(COUNT)) or "xvid" in name  # whose encoder leaves some out
    assert_every_picture_is_found(film, whole, steady="xvid" not in name)


@pytest.mark.parametrize("name", ["h264.ts", "mpeg2.mpg", "h264.avi", "xvid packed.avi"])
def test_clips_cut_together_show_every_picture_of_their_moments(tmp_path: Path, name: str) -> None:
    film = encoded(tmp_path / name, *FILMS[name])
    with open_film(film) as opened:
        times = [picture.time for picture in opened.pictures(0.0)]
    whole = plainly_decoded(film)
    spans = [(0, 37), (5, 20), (12, 13), (30, 44)]
    cuts = dict(cut_film(film, [CutSpan(times[first], times[last]) for first, last in spans]))
    for place, (first, last) in enumerate(spans):
        cut = cuts[place]
        assert isinstance(cut, Cut), cut
        assert numbers(cut) == whole[first:last]


def test_an_avi_without_its_index_is_read_like_one_with_it(tmp_path: Path) -> None:
    film = encoded(tmp_path / "film.avi", *MPEG4)
    content = film.read_bytes()
    film.write_bytes(content[: content.rindex(b"idx1")])
    assert_every_picture_is_found(film, list(range(COUNT)))


def test_a_picture_whose_time_goes_back_is_shown_nevertheless(tmp_path: Path) -> None:
    """ffmpeg's own Matroska of packed pictures has such times."""
    film = encoded(tmp_path / "film.mkv", *XVID)
    whole = plainly_decoded(film)
    with open_film(film) as opened:
        shown = list(opened.pictures(0.0))
    assert [number_in(picture.frame.to_ndarray(format="rgb24")) for picture in shown] == whole
    assert all(picture.length > 0 for picture in shown)


TWO_TRACKS = {
    "the second is the default one.mkv": ("-disposition:v:0", "0", "-disposition:v:1", "default"),
    "the second is the default one.mp4": ("-disposition:v:0", "0", "-disposition:v:1", "default"),
    "the first is a cover.mp4": ("-disposition:v:0", "attached_pic", "-disposition:v:1", "0"),
    "the first is one picture.mp4": (),
}


@pytest.mark.parametrize("name", TWO_TRACKS)
def test_the_film_is_the_default_track_and_no_cover(tmp_path: Path, name: str) -> None:
    film = encoded(tmp_path / "film.mp4", *H264)
    two = tmp_path / name
    seconds = 5 if "default" in name else 1 / RATE
    other = ("-f", "lavfi", "-i", f"color=red:s=64x48:d={seconds}:r={RATE}")
    run_ffmpeg(
        *other, "-i", film, "-map", "0", "-map", "1", "-c:v:0", "mjpeg", "-c:v:1", "copy", *TWO_TRACKS[name], two
    )
    assert_every_picture_is_found(two, list(range(COUNT)))
    assert probe(two).duration == pytest.approx(COUNT / RATE, abs=0.05)


def test_the_sound_is_the_default_track(tmp_path: Path) -> None:
    film, two = encoded(tmp_path / "film.mp4", *H264), tmp_path / "two.mkv"
    silence = ("-f", "lavfi", "-i", "anullsrc=r=44100:d=4")
    tracks = ("-map", "0", "-map", "1", "-map", "2", "-disposition:a:0", "0", "-disposition:a:1", "default")
    run_ffmpeg("-i", film, *silence, *SOUND, *tracks, "-c:v", "copy", "-c:a", "aac", two)
    cut = films.cut_clip(two, start=0, end=1, sound=True)
    with av.open(io.BytesIO(cut.mp4)) as clip:
        assert max(abs(frame.to_ndarray()).max() for frame in clip.decode(audio=0)) > 0.05


LONGER_SOUND = [name for name, how in FILMS.items() if how[: len(SOUND)] == SOUND]


@pytest.mark.parametrize("name", LONGER_SOUND)
def test_a_films_duration_is_that_of_its_pictures(tmp_path: Path, name: str) -> None:
    film = encoded(tmp_path / name, *FILMS[name])
    assert probe(film).duration == pytest.approx(COUNT / RATE, abs=0.13)


def test_metadata_of_another_encoding_spoil_nothing(tmp_path: Path) -> None:
    film = encoded(tmp_path / "film.avi", *MPEG4, "-metadata", "title=Zoe at the sea")
    film.write_bytes(film.read_bytes().replace(b"Zoe at", b"Zo\xeb at"))
    assert_every_picture_is_found(film, list(range(COUNT)))


def test_a_stream_that_turns_up_on_the_way_costs_no_picture(tmp_path: Path) -> None:
    """As in a recording of a transmitter that begins to send another programme."""
    film, other = encoded(tmp_path / "film.ts", *H264), tmp_path / "other.ts"
    run_ffmpeg(*SOUND, "-c:a", "aac", "-mpegts_start_pid", "0x200", "-mpegts_pmt_start_pid", "0x1100", other)
    film.write_bytes(film.read_bytes() + other.read_bytes())
    for _ in range(5):  # what PyAV does then depends on what the memory holds
        with open_film(film) as opened:
            assert len([picture for picture in opened.pictures(0.0)]) == COUNT


def test_both_lists_of_formats_are_equal() -> None:
    for name in ("FORMATS", "STATE_TIMES", "PACKED"):
        assert getattr(of_baselines, name) == getattr(video_reader, name)
    known = {part for name in av.formats_available for part in name.split(",")}
    assert known >= video_reader.FORMATS
