"""Media of sound alone become clips: a waveform over which the time runs, with the sound."""

import io
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from corpus.clips.cut import CutSpan, cut_film
from corpus.clips.cut_clips import CuttingPlan, cut_clips_of_video
from corpus.clips.import_videos import import_videos
from corpus.clips.probe import probe
from corpus.clips.sound_film import AHEAD, PLAYED
from corpus.clips.video_reader import FilmError
from corpus.models import Clip, Moment, Video
from foundation.models import Collection
from tests.corpus.conftest import make_film
from tests.corpus.films import run_ffmpeg, song_with_cover

SECONDS = 4
BANG = "volume='if(between(t,2,3),1,0.02)':eval=frame"
TONE = ("-f", "lavfi", "-i", f"sine=f=440:d={SECONDS},{BANG}")


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cover") / "cover.png"
    Image.new("RGB", (64, 48), "red").save(path)
    return path


def make(path: Path, picture: Path) -> Path:
    """A file of sound that is loud from second 2 to 3; one called "cover" or "still" has a picture as well."""
    if path.stem == "cover":
        run_ffmpeg(
            *TONE, "-i", picture, "-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v:0", "attached_pic", path
        )
    elif path.stem == "still":
        run_ffmpeg("-i", picture, *TONE, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", path)
    else:
        run_ffmpeg(*TONE, path)
    return path


KINDS = "tone.mp3 tone.wav tone.m4a tone.ogg tone.opus tone.flac cover.mp3 cover.m4a cover.flac still.mp4 still.mkv"


@pytest.mark.parametrize("name", KINDS.split())
def test_every_kind_is_cut_as_a_waveform_with_its_sound(tmp_path: Path, picture: Path, name: str) -> None:
    path = make(tmp_path / name, picture)
    assert probe(path).duration == pytest.approx(SECONDS, abs=0.06)
    ((_, cut),) = cut_film(path, [CutSpan(1.5, 3.5)])
    assert not isinstance(cut, FilmError)
    assert (cut.begin, cut.seconds) == (1.5, 2.0)
    with av.open(io.BytesIO(cut.mp4)) as clip:
        assert float(clip.streams.video[0].duration * clip.streams.video[0].time_base) == 2.0
        wave = np.concatenate([frame.to_ndarray()[0] for frame in clip.decode(audio=0)])
    loud = np.flatnonzero(np.abs(wave) > 0.05) / 48_000
    assert (loud.min(), loud.max()) == (pytest.approx(0.5, abs=0.08), pytest.approx(1.5, abs=0.08))
    poster = np.asarray(Image.open(io.BytesIO(cut.poster))).astype(int)
    high = (np.abs(poster - AHEAD).max(axis=2) < 40).sum(axis=0)
    assert high[200:440].min() > 100 > 30 > high[10:120].max(), "it is drawn as loud as it is"


def test_the_time_runs_over_the_waveform_and_a_clip_is_the_same_to_the_byte(tmp_path: Path, picture: Path) -> None:
    path = make(tmp_path / "tone.wav", picture)
    span = CutSpan(2, 3, gif=True)
    first, again = (list(cut_film(path, [span, *more])) for more in ([], [CutSpan(0, 1)]))
    cut = dict(first)[0]
    assert not isinstance(cut, FilmError) and cut == dict(again)[0]
    with av.open(io.BytesIO(cut.mp4)) as clip:
        frames = [frame.to_ndarray(format="rgb24").astype(int) for frame in clip.decode(video=0)]
    middle = [np.abs(frame[115:125] - PLAYED).max(axis=2).min(axis=0) < 60 for frame in frames]
    played = [np.flatnonzero(one).max(initial=0) / 640 for one in middle]
    assert played == pytest.approx([number / 12 for number in range(12)], abs=0.02)
    with Image.open(io.BytesIO(cut.gif)) as gif:
        assert (gif.n_frames, gif.size) == (3, (640, 240))


def test_what_ends_too_early_or_says_nothing_there_is_named(tmp_path: Path, picture: Path) -> None:
    path = make(tmp_path / "tone.wav", picture)
    cuts = dict(cut_film(path, [CutSpan(3, 6), CutSpan(3, 4.5), CutSpan(9, 10, whole=False)], slack=1.0))
    assert str(cuts[0]) == "tone.wav ends at 4.00 s, and the moment only at 6 s"
    assert str(cuts[2]) == "tone.wav has no sound between 9 s and 10 s"
    cut = cuts[1]
    assert not isinstance(cut, FilmError) and cut.seconds == 1.0


@pytest.mark.parametrize("suffix", ["mp3", "wav", "flac", "m4a", "ogg"])
def test_what_is_called_a_sound_and_is_none_is_refused(tmp_path: Path, picture: Path, suffix: str) -> None:
    path = tmp_path / f"talk.{suffix}"
    text = b"ADA: The ring is in the cup.\n" * 200
    for content in (b"", text, bytes(100_000), picture.read_bytes(), np.random.default_rng(1).bytes(300_000)):
        path.write_bytes(content)
        with pytest.raises(FilmError, match="can't be decoded"):
            probe(path)


def test_sound_is_imported_where_there_is_no_film_of_its_name(
    collection: Collection, media: Path, tmp_path: Path, picture: Path
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    for name in ("talk.mp3", "film.wav", "stray.flac"):
        make(folder / name, picture)
    song_with_cover(folder / "song.mp4")
    make_film(folder / "film.mp4", seconds=1)
    for name in ("talk", "film", "song"):
        Video.objects.create(collection=collection, name=name)
    report = import_videos(collection=collection, folder=folder)
    assert (report.matched, report.without_video, report.ambiguous) == (3, ["stray.flac"], [])
    assert report.unheard_in_words.startswith("1 video is a file of sound, which annotators don't hear unless")
    assert Video.objects.get(name="film").path.endswith("film.mp4")
    talk = Video.objects.get(name="talk")
    assert talk.duration == pytest.approx(SECONDS, abs=0.06)
    Moment.objects.create(video=talk, start=1, end=2)
    cut_clips_of_video(video_id=talk.pk, plan=CuttingPlan())
    clip = Clip.objects.get()
    assert (clip.problem, clip.duration) == ("", 1.0)
    Collection.objects.update(evidence=["sound"])
    assert import_videos(collection=Collection.objects.get(), folder=folder).unheard_in_words == ""
    with av.open(str(media / clip.video_file)) as stored:
        assert stored.streams.audio and stored.streams.video


def test_clips_have_sound_by_themselves_where_the_guideline_asks_for_it(
    collection: Collection, media: Path, film: Path
) -> None:
    Collection.objects.update(evidence=["picture", "sound"])
    video = Video.objects.create(collection=collection, name="film", path=str(film))
    Moment.objects.create(video=video, start=1, end=2)
    cut_clips_of_video(video_id=video.pk)
    with av.open(str(media / Clip.objects.get().video_file)) as stored:
        assert stored.streams.audio
