"""A collection's deletion whose worker is killed: before its rows go, and between these and the files."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection

from corpus.models import Clip, Moment, Video, VideoUpload
from corpus.models.video_imports import folder_of_uploads
from foundation.collections.members import add_member, get_or_create_collection
from foundation.deletion.services import ask_for_deletion, delete_collection
from foundation.models import Account, Collection, CollectionDeletion, Membership
from tests.forked import ForkedProcess
from tests.paths import ROOT

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

PROGRAM = """
import sys, django
sys.path.insert(0, sys.argv[4])
django.setup()
from django.conf import settings
from pathlib import Path
settings.MEDIA_ROOT, settings.VIDEO_FOLDER = sys.argv[1], Path(sys.argv[2])
from foundation.deletion.services import delete_collection
delete_collection(int(sys.argv[3]))
"""
LOCK = 6_141_415
"""Whoever holds it holds up the worker, by a trigger, at its first step after the rows are gone."""


@pytest.fixture
def deletion(settings: Any, tmp_path: Path) -> CollectionDeletion:
    settings.MEDIA_ROOT, settings.VIDEO_FOLDER = tmp_path / "media", tmp_path / "videos"
    collection = get_or_create_collection(name="gone", title="Gone")
    moment = Moment.objects.create(video=Video.objects.create(collection=collection, name="v"), start=0, end=1)
    default_storage.save("clips/gone.mp4", ContentFile(b"a clip"))
    Clip.objects.create(moment=moment, video_file="clips/gone.mp4")
    upload = VideoUpload.objects.create(collection=collection, name="a.mp4", size=1, mark="m")
    for path in (upload.part, folder_of_uploads(collection) / "b.mp4"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"a film")
    account = Account.objects.create(username="olga")
    owner = add_member(collection=collection, account=account, role=Membership.Role.OWNER)
    return ask_for_deletion(member=owner, typed="gone", agreed=True)


@contextmanager
def worker(deletion: CollectionDeletion, tmp_path: Path) -> Iterator[ForkedProcess]:
    program = tmp_path / "worker.py"
    program.write_text(PROGRAM)
    database = configured.DATABASES["default"]
    host = connection.get_connection_params()["host"]
    at = f"/{database['NAME']}?host={host}" if host.startswith("/") else f"{host}:{database['PORT']}/{database['NAME']}"
    line = [str(program), str(tmp_path / "media"), str(tmp_path / "videos"), str(deletion.pk), str(ROOT)]
    url = f"postgresql://{database['USER']}:{database['PASSWORD']}@{at}"
    env = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "config.settings"}
    started = ForkedProcess(line, env=env, log=tmp_path / "log")
    try:
        yield started
    finally:
        started.kill()
        started.wait(30)


def kill_when(true: Callable[[], object], process: ForkedProcess, log: Path) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait(30) == -signal.SIGKILL


def waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return bool(cursor.fetchone()[0])


def has_let_go() -> bool:
    """Whether PostgreSQL has seen that the killed worker is gone: until then it holds the lock of the deletion."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()")
        return not cursor.fetchone()[0]


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()} - {"log", "worker.py"}


def test_killed_before_the_rows_go_it_has_lost_nothing_and_the_next_one_ends_it(
    deletion: CollectionDeletion, tmp_path: Path
) -> None:
    holder = connection.copy()
    holder.set_autocommit(False)
    try:
        with holder.cursor() as cursor:
            cursor.execute("LOCK TABLE corpus_clip IN SHARE MODE")
        with worker(deletion, tmp_path) as process:
            kill_when(waits, process, tmp_path / "log")
    finally:
        holder.rollback()
        holder.close()
    assert Clip.objects.count() == 1 and default_storage.exists("clips/gone.mp4")
    assert len(left(tmp_path)) == 3, "nothing is gone"
    deadline = time.monotonic() + 60
    while not has_let_go():
        assert time.monotonic() < deadline, "the killed worker still holds its lock"
        time.sleep(0.02)
    delete_collection(deletion.pk)
    deletion.refresh_from_db()
    assert deletion.state == "done", deletion.problem
    assert not Collection.objects.filter(name="gone").exists() and left(tmp_path) == set()


def test_killed_between_rows_and_files_the_next_one_removes_its_files_and_none_of_a_new_collection_s(
    deletion: CollectionDeletion, tmp_path: Path
) -> None:
    holder = connection.copy()
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$BEGIN PERFORM pg_advisory_xact_lock({LOCK}); RETURN NEW; END$$;"
            "CREATE TRIGGER hold_up BEFORE UPDATE ON foundation_collectiondeletion FOR EACH ROW WHEN (OLD.rows_gone)"
            "EXECUTE FUNCTION hold_up()"
        )
    try:
        with holder.cursor() as cursor:
            cursor.execute(f"SELECT pg_advisory_lock({LOCK})")
        with worker(deletion, tmp_path) as process:
            kill_when(waits, process, tmp_path / "log")
    finally:
        holder.close()
        with connection.cursor() as cursor:
            cursor.execute("DROP TRIGGER hold_up ON foundation_collectiondeletion; DROP FUNCTION hold_up()")
    deletion.refresh_from_db()
    assert deletion.rows_gone and deletion.files == ["clips/gone.mp4"] and default_storage.exists("clips/gone.mp4")
    # Somebody founds another under the name, and brings a video, before a worker goes on.
    again = get_or_create_collection(name="gone", title="Again")
    folder = folder_of_uploads(again)
    assert not folder.exists(), "it finds no video of the other one"
    folder.mkdir(parents=True)
    (folder / "mine.mp4").write_bytes(b"mine")
    assert deletion.pk in CollectionDeletion.to_do().values_list("pk", flat=True), "the sweep finds it"
    delete_collection(deletion.pk)
    deletion.refresh_from_db()
    assert deletion.state == "done" and "Files removed from the storage: 1." in deletion.said
    assert left(tmp_path) == {"mine.mp4"} and Collection.objects.filter(name="gone").exists()
