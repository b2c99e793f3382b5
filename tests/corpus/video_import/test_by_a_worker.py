"""Uploaded videos by a real worker: imported, cut, killed in the middle of a clip, and gone on with by another."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.urls import reverse

from config.celery import app
from corpus.models import Clip, ClipCutting, Moment, UnfinishedFile, Video, VideoImport
from corpus.models.video_imports import folder_of_uploads
from foundation.models import Collection
from tests.corpus.conftest import make_film
from tests.corpus.video_import.conftest import begin, logged_in, send_all
from tests.workers import kill_group, one_worker, wait_until

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def moments(collection: Collection) -> Iterator[list[Moment]]:
    """Three moments of a video that has no file yet."""
    app.control.purge()
    video = Video.objects.create(collection=collection, name="film")
    yield [Moment.objects.create(video=video, start=start, end=start + 0.4) for start in (0.0, 0.5, 1.0)]
    app.control.purge()
    shutil.rmtree(folder_of_uploads(collection), ignore_errors=True)


def waiting_sessions() -> int:
    """How many of this database's sessions wait for a table's lock."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'relation' AND database ="
            " (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return int(cursor.fetchone()[0])


def test_a_killed_worker_s_import_and_cutting_are_finished_by_the_next(moments: list[Moment], tmp_path: Path) -> None:
    ada = logged_in("ada")
    content = make_film(tmp_path / "film.mp4", seconds=2).read_bytes()
    send_all(ada, begin(ada, "film.mp4", content), content)
    holder = connection.copy()
    holder.set_autocommit(False)
    try:
        with one_worker(tmp_path / "first.log") as worker:
            ada.post(reverse("video-import-start", args=["paper"]))
            wait_until(lambda: VideoImport.objects.get().finished)
            assert (VideoImport.objects.get().state, Video.objects.get().file_duration) == ("done", 2.0)
            # Files are written, then the row: a lock on the table holds the worker between the two.
            with holder.cursor() as cursor:
                cursor.execute("LOCK TABLE corpus_clip IN SHARE MODE")
            ada.post(reverse("clips-cut", args=["paper"]))
            wait_until(lambda: UnfinishedFile.objects.exists() and waiting_sessions())
            kill_group(worker)
    finally:
        holder.rollback()
        holder.close()
    assert (ClipCutting.objects.get().state, Clip.objects.count()) == ("running", 0)
    with one_worker(tmp_path / "second.log"):
        wait_until(lambda: ClipCutting.objects.get().finished)
    job = ClipCutting.objects.get()
    assert (job.state, job.total, job.done, job.said) == ("done", 3, 3, "3 clips are there")
    assert not UnfinishedFile.objects.exists()
    assert all((Path(settings.MEDIA_ROOT) / clip.video_file).exists() for clip in Clip.objects.all())
