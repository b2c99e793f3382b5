"""Cutting a collection's clips: one failure stops nothing else, and nothing is cut twice."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import av
import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from corpus.clips.cut_clips import CuttingPlan, cut_clips_of_video, videos_to_cut
from corpus.clips.import_videos import import_videos
from corpus.models import Clip, ContextClip, FormerClip, Moment, UnfinishedFile, Video
from foundation.models import Account, Collection
from tests.conftest import World
from tests.corpus.conftest import make_film

Write = Callable[..., Path]


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
    assert list(videos_to_cut(collection, CuttingPlan(retry=True))) == [video]


def test_a_retry_cuts_what_failed_and_nothing_else(collection: Collection, media: Path, film: Path) -> None:
    video = add_video(collection, "", (0, 1), (2, 3))
    cut_clips_of_video(video_id=video.pk)
    assert set(Clip.objects.values_list("problem", flat=True)) == {"film has no video file"}
    Video.objects.update(path="/nowhere/film.mp4")
    assert cut_clips_of_video(video_id=video.pk, plan=CuttingPlan(retry=True)) == 2
    assert set(Clip.objects.values_list("problem", flat=True)) == {"the file of film is gone"}
    Video.objects.update(path=str(film))
    names = set(Clip.objects.values_list("public_name", flat=True))
    assert cut_clips_of_video(video_id=video.pk, plan=CuttingPlan(retry=True)) == 2
    assert all(clip.ready and not clip.problem for clip in Clip.objects.all())
    assert set(Clip.objects.values_list("public_name", flat=True)) == names
    assert cut_clips_of_video(video_id=video.pk, plan=CuttingPlan(retry=True)) == 0
    assert not videos_to_cut(collection, CuttingPlan(retry=True)).exists()


def test_the_cut_command_says_what_is_there_and_what_failed(
    collection: Collection, media: Path, film: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_video(collection, film, (0, 1), (7, 9))
    lost = add_video(collection, "", (0, 1), name="lost")
    call_command("cut_clips", "paper")
    printed = capsys.readouterr().out
    assert "1 clip is there, 2 failed." in printed
    assert "  film.mp4 has no frame between 7 s and 9 s\n  lost has no video file\n" in printed
    Video.objects.filter(pk=lost.pk).update(path=str(film))
    call_command("cut_clips", "paper")
    assert "1 clip is there, 2 failed." in capsys.readouterr().out
    call_command("cut_clips", "paper", "--retry")
    assert "2 clips are there, 1 failed." in capsys.readouterr().out


def test_the_cut_command_refuses_a_collection_that_is_not_there(db: None) -> None:
    with pytest.raises(CommandError, match=r"There is no collection 'nope'\. Collections: none yet\."):
        call_command("cut_clips", "nope")


def files_in(media: Path) -> set[str]:
    return {str(file.relative_to(media)) for file in media.rglob("*") if file.is_file()}


def imported(collection: Collection, folder: Path, *stretches: tuple[float, float]) -> Video:
    """The video called film, with its file as import_videos finds it."""
    video = add_video(collection, "", *stretches)
    import_videos(collection=collection, folder=folder)
    video.refresh_from_db()
    return video


@pytest.fixture
def folder(film: Path, tmp_path: Path) -> Path:
    """A folder of the test's own with the film in it."""
    folder = tmp_path / "films"
    folder.mkdir()
    (folder / "film.mp4").write_bytes(film.read_bytes())
    return folder


def test_what_failed_for_want_of_a_file_is_cut_once_it_has_come(
    collection: Collection, media: Path, folder: Path
) -> None:
    video = add_video(collection, "", (0, 1))
    cut_clips_of_video(video_id=video.pk)
    assert Clip.objects.get().problem == "film has no video file"
    import_videos(collection=collection, folder=folder)
    assert list(videos_to_cut(collection)) == [video]
    assert cut_clips_of_video(video_id=video.pk) == 1
    assert Clip.objects.get().ready


def test_a_file_that_changed_behind_our_back_is_not_cut(collection: Collection, media: Path, folder: Path) -> None:
    video = imported(collection, folder, (0, 1))
    make_film(folder / "film.mp4", seconds=2)
    cut_clips_of_video(video_id=video.pk)
    assert Clip.objects.get().problem == (
        "the file of film is not the one that import_videos saw: import the videos again"
    )
    import_videos(collection=collection, folder=folder)
    assert cut_clips_of_video(video_id=video.pk) == 1
    assert Clip.objects.get().ready


def test_a_moment_far_past_the_end_is_recorded(collection: Collection, media: Path, film: Path) -> None:
    video = add_video(collection, film, (3, 4.9), (3, 5.1))
    cut_clips_of_video(video_id=video.pk)
    ready, failed = Clip.objects.order_by("moment__end")
    assert (ready.ready, ready.duration) == (True, 1.0)
    assert failed.problem == "film.mp4 ends at 4.00 s, and the moment only at 5.1 s"


def test_a_clip_of_a_changed_file_stays_until_it_is_asked_for_again(
    collection: Collection, media: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported(collection, folder, (0, 1), (1, 1.8))
    call_command("cut_clips", "paper", "--gif")
    before = {clip.moment_id: clip for clip in Clip.objects.all()}
    contents = {name: (media / name).read_bytes() for name in files_in(media)}
    assert len(contents) == 6
    make_film(folder / "film.mp4", seconds=2, width=96)
    call_command("import_videos", "paper", str(folder))
    printed = capsys.readouterr().out
    assert "1 video whose file has changed since the last import: film." in printed
    assert "2 clips show the earlier files, as before" in printed
    call_command("cut_clips", "paper", "--gif")
    printed = capsys.readouterr().out
    assert "Clips of 1 video show an earlier file than the video has now: film." in printed
    assert {clip.moment_id: clip.public_name for clip in Clip.objects.all()} == {
        moment: clip.public_name for moment, clip in before.items()
    }
    call_command("cut_clips", "paper", "--again", "film")
    assert "earlier file" not in capsys.readouterr().out
    for clip in Clip.objects.all():
        old = before[clip.moment_id]
        assert clip.pk == old.pk
        assert clip.public_name != old.public_name
        former = FormerClip.objects.get(moment_id=clip.moment_id)
        assert (former.public_name, former.video_file, former.gif_file) == (
            old.public_name,
            old.video_file,
            old.gif_file,
        )
        with default_storage.open(clip.video_file) as file, av.open(file) as shown:
            assert shown.streams.video[0].width == 96
    # Nothing under an old address has changed.
    assert all((media / name).read_bytes() == content for name, content in contents.items())


def test_again_is_for_named_videos_and_does_nothing_twice(collection: Collection, media: Path, film: Path) -> None:
    first, second = (add_video(collection, film, (0, 1), name=name) for name in ("first", "second"))
    call_command("cut_clips", "paper")
    name_before = second.moments.get().clip.public_name
    call_command("cut_clips", "paper", "--again", "first")
    assert FormerClip.objects.get().moment.video == first
    assert second.moments.get().clip.public_name == name_before
    again = CuttingPlan(again_before=Clip.objects.get(moment__video=first).made_at.isoformat())
    assert cut_clips_of_video(video_id=first.pk, plan=again) == 0
    with pytest.raises(CommandError, match=r"paper has no video 'third'; nothing was cut"):
        call_command("cut_clips", "paper", "--again", "first", "third")
    with pytest.raises(CommandError, match="--judged-too needs --again VIDEO"):
        call_command("cut_clips", "paper", "--judged-too")


def test_gifs_and_context_come_beside_clips_that_are_there(collection: Collection, media: Path, folder: Path) -> None:
    video = imported(collection, folder, (0.4, 1), (2, 3), (7, 8))
    assert cut_clips_of_video(video_id=video.pk) == 3
    names = list(Clip.objects.order_by("pk").values_list("public_name", "video_file"))
    made_at = {clip.pk: clip.made_at for clip in Clip.objects.all()}
    assert cut_clips_of_video(video_id=video.pk, plan=CuttingPlan(gif=True, context=1.0)) == 3
    assert list(Clip.objects.order_by("pk").values_list("public_name", "video_file")) == names
    first, second, lost = Clip.objects.order_by("moment__start")
    assert made_at == {clip.pk: clip.made_at for clip in (first, second, lost)}
    for clip in (first, second):
        assert default_storage.open(clip.gif_file).read(6) == b"GIF89a"
    assert lost.gif_file == ""
    early, middle, none = ContextClip.objects.order_by("moment__start")
    assert (early.before, early.duration) == (pytest.approx(0.4), pytest.approx(2.0))
    assert (middle.before, middle.duration) == (pytest.approx(1.0), pytest.approx(3.0))
    assert none.problem == "film.mp4 has no frame between 6 s and 9 s"
    assert not {clip.public_name for clip in (first, second)} & {early.public_name, middle.public_name}
    assert cut_clips_of_video(video_id=video.pk, plan=CuttingPlan(gif=True, context=1.0)) == 0
    # Other seconds: other clips, and the old files go.
    old = {early.video_file, middle.video_file}
    assert cut_clips_of_video(video_id=video.pk, plan=CuttingPlan(context=0.5)) == 3
    assert not old & files_in(media)
    assert not UnfinishedFile.objects.exists()


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "601"])
def test_a_context_of_no_length_is_refused(collection: Collection, seconds: str) -> None:
    with pytest.raises(CommandError, match="expected more than 0 and at most 600 seconds"):
        call_command("cut_clips", "paper", f"--context={seconds}")


def test_sound_is_kept_when_asked_for(collection: Collection, media: Path, film: Path) -> None:
    video = add_video(collection, film, (0, 1))
    cut_clips_of_video(video_id=video.pk, plan=CuttingPlan(sound=True))
    with default_storage.open(Clip.objects.get().video_file) as file, av.open(file) as clip:
        assert [stream.codec_context.name for stream in clip.streams] == ["h264", "aac"]


def test_a_write_that_fails_is_recorded_and_the_others_are_kept(
    collection: Collection, media: Path, film: Path
) -> None:
    video = add_video(collection, film, (0, 1), (1, 2), (2, 3))
    moments = list(video.moments.order_by("start"))
    blocked = Clip.objects.create(moment=moments[1])
    # A file where the storage wants a folder.
    (media / "clips").mkdir(parents=True)
    (media / "clips" / blocked.public_name[:2]).write_bytes(b"")
    for other in (0, 2):
        while True:
            clip = Clip(moment=moments[other])
            if clip.public_name[:2] != blocked.public_name[:2]:
                break
        clip.save()
    assert cut_clips_of_video(video_id=video.pk, plan=CuttingPlan(retry=True)) == 3
    clips = [moment.clip for moment in video.moments.order_by("start").select_related("clip")]
    assert [clip.ready for clip in clips] == [True, False, True]
    assert clips[1].problem.startswith(f"clips/{blocked.public_name[:2]}/{blocked.public_name}.mp4 can't be stored: ")
    (media / "clips" / blocked.public_name[:2]).unlink()
    assert cut_clips_of_video(video_id=video.pk, plan=CuttingPlan(retry=True)) == 1
    assert Clip.objects.get(pk=blocked.pk).ready
    assert not UnfinishedFile.objects.exists()


def test_folders_of_pictures_are_cut_like_films(collection: Collection, media: Path, tmp_path: Path) -> None:
    from PIL import Image

    from tests.corpus import films

    frames = tmp_path / "frames" / "show" / "film"
    frames.mkdir(parents=True)
    for number in range(1, 31):
        Image.fromarray(films.draw(number, 160, 96)).save(frames / f"{number:05d}.jpg", quality=95)
    video = add_video(collection, "", (2.0, 5.0), (9.0, 10.0), (12, 13))
    call_command("import_videos", "paper", str(tmp_path / "frames"), "--fps", "3")
    assert cut_clips_of_video(video_id=video.pk, plan=CuttingPlan(gif=True)) == 3
    inner, last, past = Clip.objects.order_by("moment__start")
    assert (inner.duration, last.duration) == (pytest.approx(3.0), pytest.approx(1.0))
    assert past.problem == "film has no frame between 12 s and 13 s"
    with default_storage.open(inner.video_file) as file, av.open(file) as clip:
        shown = [frame.to_ndarray(format="rgb24") for frame in clip.decode(video=0)]
    assert len(shown) == 9
    for picture, number in ((shown[0], 7), (shown[-1], 15)):
        assert films.difference(films.draw(number, 160, 96), picture) < 6


def test_a_broken_picture_fails_the_moments_that_show_it(collection: Collection, media: Path, tmp_path: Path) -> None:
    from PIL import Image

    from tests.corpus import films

    frames = tmp_path / "frames" / "film"
    frames.mkdir(parents=True)
    for number in range(1, 31):
        Image.fromarray(films.draw(number, 64, 48)).save(frames / f"{number}.png")
    (frames / "13.png").write_bytes((frames / "13.png").read_bytes()[:60])
    video = add_video(collection, "", (0, 2), (3, 6), (7, 9))
    import_videos(collection=collection, folder=tmp_path / "frames", frame_rate=3)
    cut_clips_of_video(video_id=video.pk)
    first, broken, last = Clip.objects.order_by("moment__start")
    assert (first.ready, last.ready) == (True, True)
    assert broken.problem.startswith("film/13.png can't be decoded: ")


def test_candidates_alone_can_be_cut(world: World, media: Path, film: Path) -> None:
    from queries.models import Candidate

    video = world.collection.videos.get()
    Video.objects.filter(pk=video.pk).update(path=str(film))
    Moment.objects.create(video=video, start=0, end=0.5)
    candidates = set(Candidate.objects.values_list("moment", flat=True))
    call_command("cut_clips", "paper", "--candidates")
    assert set(Clip.objects.values_list("moment", flat=True)) == candidates


def test_before_there_are_candidates_their_clips_cannot_be_cut(collection: Collection) -> None:
    with pytest.raises(CommandError, match="paper has no candidates yet: fetch_candidates comes first"):
        call_command("cut_clips", "paper", "--candidates")


def test_a_judged_clip_is_replaced_only_on_demand(world: World, media: Path, film: Path) -> None:
    from annotation.models import Judgment

    video = world.collection.videos.get()
    Video.objects.filter(pk=video.pk).update(path=str(film))
    call_command("cut_clips", "paper")
    judged = world.batch.pairs.order_by("pk").first()
    Judgment.objects.create(pair=judged, annotator=world["bo"], grade=3, round=1, key=uuid4())
    call_command("cut_clips", "paper", "--again", video.name)
    replaced = set(FormerClip.objects.values_list("moment", flat=True))
    assert judged.candidate.moment_id not in replaced
    assert len(replaced) == 2
    call_command("cut_clips", "paper", "--again", video.name, "--judged-too")
    assert FormerClip.objects.filter(moment=judged.candidate.moment_id).count() == 1


def test_clips_whose_files_are_gone_are_noticed_and_cut_again_under_their_address(
    collection: Collection, media: Path, film: Path, client_of: Any, capsys: Any
) -> None:
    video = add_video(collection, film, (0.5, 1), (1, 2), (2, 3))
    cut_clips_of_video(video_id=video.pk, plan=CuttingPlan(gif=True))
    before = {clip.pk: clip.public_name for clip in Clip.objects.all()}
    clips = list(Clip.objects.order_by("pk"))
    (media / clips[0].video_file).unlink()
    (media / clips[1].poster_file).unlink()
    (media / clips[2].gif_file).unlink()
    page = client_of(Account.objects.get(username="ada")).get("/c/paper/videos/").content.decode()
    assert "Of 3 clips checked in the storage, 1 has lost its file." in page
    call_command("cut_clips", "paper")
    printed = capsys.readouterr().out
    assert "Cut again, because the storage has lost its file: 2 clips." in printed
    assert "3 clips are there, 0 failed." in printed
    assert {clip.pk: clip.public_name for clip in Clip.objects.all()} == before
    for clip in Clip.objects.all():
        assert (media / clip.video_file).exists() and (media / clip.poster_file).exists()
    shutil.rmtree(media / "clips")
    call_command("cut_clips", "paper")
    assert "Cut again, because the storage has lost its file: 3 clips" in capsys.readouterr().out
    assert len(files_in(media)) == 6
    page = client_of(Account.objects.get(username="ada")).get("/c/paper/videos/").content.decode()
    assert "checked in the storage" not in page
