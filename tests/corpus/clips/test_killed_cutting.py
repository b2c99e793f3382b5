"""cut_clips killed in the middle, and two of it at once: nothing is lost, left over or done twice."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from config.celery import app
from corpus.clips.cut_clips import videos_to_cut
from corpus.models import Clip, Moment, UnfinishedFile, Video
from foundation.models import Collection
from tests.corpus.conftest import make_film

MOMENTS = 4

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def wait_until(true: Callable[[], object], process: "subprocess.Popen[bytes]", seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert process.poll() is None, "it ended too early"
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


@pytest.fixture
def video(media: Path, tmp_path: Path) -> Iterator[Video]:
    # Nobody else may take the work.
    app.control.purge()
    collection = Collection.objects.create(name="paper", title="Paper")
    path = make_film(tmp_path / "film.mp4", seconds=4)
    video = Video.objects.create(collection=collection, name="film", path=str(path))
    Moment.objects.bulk_create(Moment(video=video, start=start, end=start + 0.4) for start in range(MOMENTS))
    return video


def start_cutting(media: Path) -> "subprocess.Popen[bytes]":
    """`manage.py cut_clips paper` on the test's database, with the test's storage below its var folder."""
    program = (
        "import sys, django\n"
        "from django.conf import settings\n"
        "django.setup()\n"
        "settings.MEDIA_ROOT = sys.argv[1]\n"
        "from django.core.management import call_command\n"
        "call_command('cut_clips', 'paper')\n"
    )
    database = settings.DATABASES["default"]
    host = connection.get_connection_params()["host"]
    place = (
        f"@/{database['NAME']}?host={host}"
        if host.startswith("/")
        else f"@{host}:{database['PORT']}/{database['NAME']}"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program, str(media)],
        cwd=settings.BASE_DIR,
        env={
            **os.environ,
            "DATABASE_URL": f"postgresql://{database['USER']}:{database['PASSWORD']}{place}",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def files_in(media: Path) -> set[str]:
    return {str(file.relative_to(media)) for file in media.rglob("*") if file.is_file()}


def waiting_sessions() -> int:
    """How many of this database's sessions wait for a lock."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return int(cursor.fetchone()[0])


def assert_all_is_there_and_nothing_else(media: Path) -> None:
    clips = list(Clip.objects.all())
    assert len(clips) == MOMENTS
    assert all(clip.ready for clip in clips), [clip.problem for clip in clips]
    assert files_in(media) == {name for clip in clips for name in (clip.video_file, clip.poster_file)}
    assert not UnfinishedFile.objects.exists()
    assert not videos_to_cut(Collection.objects.get()).exists()


def test_a_kill_loses_the_clip_in_work_and_the_next_run_removes_its_files(video: Video, media: Path) -> None:
    # Files are written, then the row: a lock on the table holds the writer between the two.
    holder = connection.copy()
    holder.set_autocommit(False)
    first = video.moments.order_by("start").first()
    Clip.objects.create(moment=first, video_file="clips/there.mp4", poster_file="clips/there.jpg")
    (media / "clips").mkdir(parents=True)
    for name in ("there.mp4", "there.jpg"):
        (media / "clips" / name).write_bytes(b"done before")
    with holder.cursor() as cursor:
        cursor.execute("LOCK TABLE corpus_clip IN SHARE MODE")
    process = start_cutting(media)
    try:
        wait_until(lambda: waiting_sessions() and len(files_in(media)) == 4, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
    finally:
        process.kill()
        process.wait()
        holder.rollback()
        holder.close()
    assert Clip.objects.count() == 1
    orphans = files_in(media) - {"clips/there.mp4", "clips/there.jpg"}
    assert orphans == set(UnfinishedFile.objects.values_list("name", flat=True))
    assert len(orphans) == 2
    assert list(videos_to_cut(video.collection)) == [video]
    call_command("cut_clips", "paper")
    assert not orphans & files_in(media)
    assert Clip.objects.get(moment=first).video_file == "clips/there.mp4"
    assert_all_is_there_and_nothing_else(media)


def test_leftovers_are_removed_even_where_nothing_is_left_to_cut(video: Video, media: Path) -> None:
    call_command("cut_clips", "paper")
    (media / "clips" / "xx").mkdir()
    (media / "clips" / "xx" / "orphan.mp4").write_bytes(b"half")
    UnfinishedFile.objects.create(video=video, name="clips/xx/orphan.mp4")
    call_command("cut_clips", "paper")
    assert_all_is_there_and_nothing_else(media)


def test_two_at_once_cut_every_clip_once(video: Video, media: Path) -> None:
    holder = connection.copy()
    holder.set_autocommit(False)
    with holder.cursor() as cursor:
        cursor.execute("LOCK TABLE corpus_clip IN SHARE MODE")
    processes = [start_cutting(media), start_cutting(media)]
    try:
        # One holds the video and waits for the table, the other waits for the video.
        wait_until(lambda: waiting_sessions() == 2, processes[0])
        holder.rollback()
        assert [process.wait(timeout=120) for process in processes] == [0, 0]
    finally:
        for process in processes:
            process.kill()
            process.wait()
        holder.close()
    assert_all_is_there_and_nothing_else(media)


def test_several_videos_are_cut_side_by_side(video: Video, media: Path) -> None:
    for number in range(3):
        other = Video.objects.create(collection=video.collection, name=f"film-{number}", path=video.path)
        Moment.objects.bulk_create(Moment(video=other, start=start, end=start + 0.4) for start in range(MOMENTS))
    Video.objects.create(collection=video.collection, name="lost")
    Moment.objects.create(video=Video.objects.get(name="lost"), start=0, end=1)
    call_command("cut_clips", "paper")
    assert Clip.objects.exclude(video_file="").count() == 4 * MOMENTS
    assert Clip.objects.get(video_file="").problem == "lost has no video file"
