"""Files in a folder of videos that are no films, or have names that look like something else."""

import os
import shutil
from pathlib import Path

import av
import pytest
from django.core.management import call_command

from corpus.clips.cut_clips import cut_clips_of_video
from corpus.clips.import_videos import import_videos
from corpus.clips.probe import fingerprint, probe
from corpus.clips.video_reader import FilmError
from corpus.models import Clip, Moment, Video
from foundation.models import Collection
from tests.corpus.conftest import make_film
from tests.corpus.films import cut_clip, draw, song_with_cover

TEXT = "ADA: The ring is in the cup.\nBO: Then she hides it behind the door.\n" * 20
LATIN = os.fsdecode(b"stra\xdfe.mp4")


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_film(tmp_path_factory.mktemp("film") / "film.mp4", seconds=1, sound=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "films"
    folder.mkdir()
    return folder


def add(collection: Collection, *names: str) -> None:
    for name in names:
        Video.objects.create(collection=collection, name=name)


@pytest.mark.parametrize(
    "ending", ["txt", "nfo", "asc", "ans", "diz", "srt", "vtt", "ass", "mp4", "mkv", "avi", "mp3", "wav", "flac", ""]
)
def test_a_transcript_is_never_a_film(collection: Collection, folder: Path, ending: str) -> None:
    """FFmpeg draws a text by the letters' shapes where its name ends in .txt: the clip would tell what is said."""
    head = {"srt": "1\n00:00:00,000 --> 00:00:09,000\n", "vtt": "WEBVTT\n\n00:00.000 --> 00:09.000\n"}.get(ending, "")
    path = folder / (f"talk.{ending}" if ending else "talk")
    path.write_text(head + TEXT)
    add(collection, "talk")
    assert import_videos(collection=collection, folder=folder).matched == 0
    with pytest.raises(FilmError, match="can't be decoded"):
        cut_clip(path, start=0, end=1)
    with pytest.raises(FilmError, match="can't be decoded"):
        cut_clip(path, start=0, end=1, sound=True)


@pytest.mark.parametrize("name", ["a:b.mp4", "concat:x.mp4", "file:film.mp4", "data:,x.mp4", "film%03d.mp4", "-i.mp4"])
def test_a_film_may_have_any_name(
    collection: Collection, film: Path, folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(film, folder / name)
    monkeypatch.chdir(folder)
    assert probe(Path(name)).duration == pytest.approx(1, abs=0.05)
    assert cut_clip(Path(name), start=0, end=0.48, sound=True).seconds == pytest.approx(0.48)
    add(collection, Path(name).stem)
    assert import_videos(collection=collection, folder=Path()).matched == 1


def test_one_bad_file_costs_no_other(collection: Collection, film: Path, folder: Path) -> None:
    song_with_cover(folder / "song.mp4")
    (folder / "torn.avi").write_bytes(film.read_bytes()[:200])
    os.mkfifo(folder / "pipe.mp4")
    (folder / "gone.mp4").symlink_to(folder / "nowhere.mp4")
    shutil.copy(film, folder / "good.mp4")
    add(collection, "song", "torn", "pipe", "gone", "good")
    report = import_videos(collection=collection, folder=folder)
    assert report.matched == 2, "the song is one, too"
    torn, pipe, gone = sorted(report.unreadable, key=lambda reason: "tpg".index(reason[0]))
    assert torn.startswith("torn.avi can't be decoded: ")
    assert pipe == "pipe.mp4 can't be read: it is a pipe, a socket or a device, and no file"
    assert gone == "gone.mp4 can't be read: No such file or directory"


def test_pipes_among_pictures_are_no_pictures(collection: Collection, folder: Path) -> None:
    from PIL import Image

    (folder / "talk").mkdir()
    for number in (1, 2):
        Image.fromarray(draw(number, 32, 24)).save(folder / "talk" / f"{number}.png")
    os.mkfifo(folder / "talk" / "3.png")
    add(collection, "talk")
    assert import_videos(collection=collection, folder=folder, frame_rate=2).matched == 1
    assert collection.videos.get().duration == 1.0


def test_a_file_that_became_a_pipe_fails_its_clips(
    collection: Collection, film: Path, folder: Path, media: Path
) -> None:
    shutil.copy(film, folder / "talk.mp4")
    add(collection, "talk")
    import_videos(collection=collection, folder=folder)
    video = collection.videos.get()
    Moment.objects.create(video=video, start=0, end=1)
    (folder / "talk.mp4").unlink()
    os.mkfifo(folder / "talk.mp4")
    with pytest.raises(FilmError):
        fingerprint(folder / "talk.mp4")
    cut_clips_of_video(video_id=video.pk)
    assert "it is a pipe" in Clip.objects.get().problem


def test_names_that_are_not_utf_8_are_named_and_left_out(
    collection: Collection, film: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    strange = folder / os.fsdecode(b"Aufnahme \xe9")
    strange.mkdir()
    for path in (folder / "ok.mp4", folder / LATIN, strange / "inside.mp4"):
        shutil.copy(film, path)
    (folder / "link.mp4").symlink_to(folder / LATIN)
    (folder / os.fsdecode(b"notes \xe9.txt")).write_text("of no interest")
    add(collection, "ok", "inside", "link")
    call_command("import_videos", "paper", str(folder))
    printed = capsys.readouterr().out
    assert "1 video has its file." in printed
    assert "3 files that can't be read: " in printed
    assert r"stra\xdfe.mp4 is left out: its name isn't UTF-8, so rename it" in printed
    assert r"Aufnahme \xe9/inside.mp4 is left out: its name isn't UTF-8, so rename it" in printed
    assert r"stra\xdfe.mp4: its name isn't UTF-8, so rename it" in printed.partition("link.mp4 leads to ")[2]
    assert "notes" not in printed
    assert dict(collection.videos.values_list("name", "path")) == {
        "ok": str(folder / "ok.mp4"),
        "inside": "",
        "link": "",
    }


def test_only_formats_of_films_are_in_the_list() -> None:
    from corpus.clips.video_reader import FORMATS, SOUND_FORMATS

    refused = "tty concat hls dash imf sdp rtsp lavfi image2 srt webvtt ass lrc x11grab webm_dash_manifest ffmetadata"
    assert (FORMATS | SOUND_FORMATS).isdisjoint(refused.split())
    assert set(refused.split()) & {part for name in av.formats_available for part in name.split(",")}
