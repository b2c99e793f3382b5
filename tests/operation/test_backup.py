"""Backups of a site with rows and files, restored elsewhere by the command, tried, damaged, broken off, encrypted."""

import json
import os
import signal
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import boto3
import psycopg
import pyrage
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from annotation.models import Pair
from annotation.people.erasure import erase_account
from config.variables import Backups
from corpus.models import Clip, Video
from foundation.models import Letter, MailItem, Session, Webhook
from foundation.webhooks.outbox import note
from operation.backup.authenticity import mac_of
from operation.backup.jobs import ask_when_due, back_up, is_due
from operation.health.checks import backups
from operation.health.heartbeat import beat
from operation.models import Backup, Erasure
from tests.annotation.judging_steps import judge, sit
from tests.conftest import World, build_world
from tests.forked import ForkedProcess
from tests.operation.sites import empty_site, made, restored, rows, run, stored
from tests.s3 import BUCKET
from tests.workers import database_url, wait_until

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def world(settings: Any, tmp_path: Path) -> World:
    """A small collection with clips in the storage and one uploaded video."""
    settings.MEDIA_ROOT = str(tmp_path / "media")
    settings.VIDEO_FOLDER = tmp_path / "videos"
    settings.VAR = tmp_path / "var"
    made = build_world(clips=True)
    for clip in Clip.objects.all():
        for name in (clip.video_file, clip.poster_file):
            default_storage.save(name, ContentFile(name.encode() * 100))
    video = settings.VIDEO_FOLDER / "paper" / "secret_video_name.mp4"
    video.parent.mkdir(parents=True)
    video.write_bytes(b"a film" * 1000)
    Video.objects.update(path=str(video))
    return made


NOT_KEPT = {"foundation_session", "operation_workerheartbeat"}
CHANGED_BY_RESTORING = {
    "foundation_webhook",
    "foundation_mailitem",
    "foundation_letter",
    "corpus_video",
    "foundation_auditentry",
}
"""Stopped, held, taken apart, another folder of uploads; and the trail of changes says so."""


def every_row(url: str) -> dict[str, list[str]]:
    """The rows of every table, each as text, in the order of that."""
    tables = rows(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    return {
        table: [text for (text,) in rows(url, f'SELECT one::text FROM "{table}" one ORDER BY 1')] for (table,) in tables
    }


def test_a_restored_site_has_every_row_and_file_where_it_keeps_them(
    world: World, tmp_path: Path, settings: Any
) -> None:
    sit(world["bo"], world["cy"])
    for pair in Pair.objects.all():
        judge(world["bo"], pair, 3, played=1.0)
        judge(world["cy"], pair, 4, played=1.0)
    hook = Webhook.objects.create(address="https://hooks.example.org", kinds=["job.ended"])
    assert note("job.ended", collection=world.collection, data={}) == 1
    letter = Letter.objects.create(account=world["bo"].account)
    for where in (letter, None):
        MailItem.objects.create(account=world["bo"].account, event="annotation.notice", letter=where)
    beat(node="a worker", processes=1)
    Session.objects.create(session_key="x", session_data="", expire_date=timezone.now() + timedelta(days=1))
    before = every_row(database_url())
    output = made(tmp_path / "backups")
    assert f"{tmp_path / 'backups'} has the backup 2" in output and " 7 files" in output
    with empty_site(tmp_path) as there:
        code, told = run(there, tmp_path / "log", "restore", str(tmp_path / "backups"))
        assert code == 0 and "7 files" in told and "log in again" in told, told
        assert "Webhooks that are stopped, since this may be a second copy of the site: 1." in told
        assert "held, since this may be a second copy of the site: 2." in told
        mails = "SELECT held, letter_id FROM foundation_mailitem"
        assert rows(there["DATABASE_URL"], mails) == [(True, None)] * 2
        assert rows(database_url(), mails) == [(False, letter.pk), (False, None)]
        state = "SELECT stopped_at IS NULL, problem LIKE 'The site was restored%', state FROM foundation_webhook w"
        state += " JOIN foundation_webhookevent e ON e.webhook_id = w.id"
        assert rows(there["DATABASE_URL"], state) == [(False, True, "waiting")]
        assert hook.stopped_at is None and rows(database_url(), state) == [(True, False, "waiting")]
        after = every_row(there["DATABASE_URL"])
        assert {table for table in before if before[table] != after[table]} == CHANGED_BY_RESTORING | NOT_KEPT
        assert set() < set(before["foundation_auditentry"]) < set(after["foundation_auditentry"])
        assert not any(after[table] for table in NOT_KEPT)
        elsewhere = tmp_path / "elsewhere"
        assert stored(elsewhere / "media") == stored(tmp_path / "media")
        assert stored(elsewhere / "videos") == stored(tmp_path / "videos")
        assert rows(there["DATABASE_URL"], "SELECT path FROM corpus_video") == [
            (str(elsewhere / "videos" / "paper" / "secret_video_name.mp4"),)
        ]
        with pytest.raises(CommandError, match="The database isn't empty, and nothing was changed"):
            restored(there, tmp_path / "backups")
        assert rows(
            there["DATABASE_URL"],
            "SELECT DISTINCT tableowner = current_user FROM pg_tables WHERE schemaname = 'public'",
        ) == [(True,)]
        assert rows(there["DATABASE_URL"], "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'qreels_load_%'") == [(0,)]


def test_a_second_backup_copies_only_what_is_new(world: World, tmp_path: Path) -> None:
    made(tmp_path / "backups")
    first = {path: path.stat().st_mtime_ns for path in (tmp_path / "backups" / "files").rglob("*") if path.is_file()}
    default_storage.save("clips/new.mp4", ContentFile(b"new"))
    Clip.objects.filter(video_file="clips/0.mp4").update(gif_file="clips/new.mp4")
    wait_until(lambda: datetime.now(UTC).strftime("%S") != list_of(tmp_path)[-1][-3:-1])
    made(tmp_path / "backups")
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "backups" / "files").rglob("*") if path.is_file()}
    assert len(files) == len(first) + 1 and first.items() <= files.items()
    assert len(list_of(tmp_path)) == 2


def list_of(tmp_path: Path) -> list[str]:
    out = StringIO()
    call_command("restore", str(tmp_path / "backups"), "--list", stdout=out)
    return out.getvalue().split()


def test_a_backup_can_be_tried_and_a_damaged_one_is_told(world: World, tmp_path: Path) -> None:
    made(tmp_path / "backups")
    out = StringIO()
    call_command("restore", str(tmp_path / "backups"), "--verify", stdout=out)
    assert "can be restored: 7 files" in out.getvalue()
    assert Backup.objects.get().verified_at is not None
    victim = next(path for path in sorted((tmp_path / "backups" / "files").rglob("*")) if path.is_file())
    victim.write_bytes(b"damaged")
    with pytest.raises(CommandError, match=f"{victim.name} is damaged: its SHA-256 is"):
        call_command("restore", str(tmp_path / "backups"), "--verify")
    victim.unlink()
    with pytest.raises(CommandError, match="is missing"):
        call_command("restore", str(tmp_path / "backups"), "--verify")


def test_a_restore_that_was_killed_goes_on(world: World, tmp_path: Path) -> None:
    made(tmp_path / "backups")
    with empty_site(tmp_path) as there:
        # Stopped at a real boundary: the database lets nobody in, once the files are there.
        name = there["DATABASE_URL"].partition("?")[0].rpartition("/")[2]
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
            blocker = psycopg.connect(there["DATABASE_URL"])
            blocker.execute("CREATE TABLE queries_query (id int)")
            process = ForkedProcess(
                ["manage.py", "restore", str(tmp_path / "backups")], env=there, log=tmp_path / "log"
            )
            waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND wait_event_type = 'Lock'"
            wait_until(
                lambda: server.execute(waits, [name]).fetchone() != (0,) or process.poll() is not None  # type: ignore[arg-type]
            )
            assert process.poll() is None, (tmp_path / "log").read_text()
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)
            blocker.rollback()
            blocker.close()
        (tmp_path / "log").unlink()
        wait_until(
            lambda: (
                rows(
                    there["DATABASE_URL"],
                    "SELECT count(*) FROM pg_stat_activity WHERE datname ="
                    " current_database() AND backend_type = 'client backend'",
                )
                == [(1,)]
            )
        )
        assert rows(there["DATABASE_URL"], "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]
        code, told = run(there, tmp_path / "log", "restore", str(tmp_path / "backups"))
        assert code == 0, told
        assert rows(there["DATABASE_URL"], "SELECT count(*) FROM annotation_pair") == [(3,)]


def test_who_was_erased_after_a_backup_is_erased_again(world: World, tmp_path: Path) -> None:
    made(tmp_path / "backups")
    (older,) = list_of(tmp_path)
    bo = world["bo"].account
    assert bo is not None
    erase_account(account=bo)
    assert Erasure.objects.count() == 1
    wait_until(lambda: datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ") > older)
    made(tmp_path / "backups")
    with empty_site(tmp_path) as there:
        restored(there, tmp_path / "backups", "--backup", older)
        names = rows(there["DATABASE_URL"], "SELECT username FROM foundation_account ORDER BY 1")
        assert ("bo",) not in names and ("cy",) in names


def test_an_encrypted_backup_opens_with_its_secret_key_alone(world: World, tmp_path: Path, settings: Any) -> None:
    key = pyrage.x25519.Identity.generate()
    settings.BACKUPS = Backups(key=str(key.to_public()))
    made(tmp_path / "backups")
    for path in (tmp_path / "backups").rglob("*"):
        assert not path.is_file() or path.read_bytes().startswith(b"age-encryption.org/v1")
    with pytest.raises(CommandError, match="The backup is encrypted: give the file with its secret key"):
        call_command("restore", str(tmp_path / "backups"), "--verify")
    (tmp_path / "wrong").write_text(f"# created\n{pyrage.x25519.Identity.generate()}\n")
    with pytest.raises(CommandError, match="can't be decrypted with this key"):
        call_command("restore", str(tmp_path / "backups"), "--verify", key=tmp_path / "wrong")
    (tmp_path / "right").write_text(f"{key}\n")
    out = StringIO()
    call_command("restore", str(tmp_path / "backups"), "--verify", key=tmp_path / "right", stdout=out)
    assert "can be restored: 7 files" in out.getvalue()


def test_a_place_with_the_backups_of_another_database_is_refused_until_it_is_taken_over(
    world: World, tmp_path: Path
) -> None:
    made(tmp_path / "backups")
    (owner,) = (tmp_path / "backups" / "owner").iterdir()
    owner.rename(owner.with_name("0123456789abcdef.txt"))
    (before,) = list_of(tmp_path)
    with pytest.raises(CommandError, match=r"another database: two sites.*--take-over"):
        call_command("backup", str(tmp_path / "backups"), "--remove-old")
    assert list_of(tmp_path) == [before]
    wait_until(lambda: datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ") > before)
    made(tmp_path / "backups", take_over=True)
    assert len(list_of(tmp_path)) == 2 and list((tmp_path / "backups" / "owner").iterdir()) == [owner]


def test_a_file_that_is_lost_is_told_and_keeps_no_backup_from_being_made(world: World, tmp_path: Path) -> None:
    default_storage.delete("clips/1.mp4")
    output = made(tmp_path / "backups")
    assert "The storage has lost clips/1.mp4" in output and " 6 files" in output


@pytest.mark.parametrize("target", ["ftp://somewhere/x", ""])
def test_what_is_no_place_is_refused(db: None, target: str) -> None:
    with pytest.raises(CommandError, match="is no place for backups"):
        call_command("backup", target)


def test_a_place_without_a_backup_or_with_one_of_a_newer_qreels_is_refused(world: World, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="has no backup"):
        call_command("restore", str(tmp_path / "nothing"))
    made(tmp_path / "backups")
    with pytest.raises(CommandError, match="isn't empty"):
        call_command("restore", str(tmp_path / "backups"))
    (manifest,) = (tmp_path / "backups" / "backups").glob("*.json")
    facts = json.loads(manifest.read_text())
    first = facts["files"][0]
    with empty_site(tmp_path) as there:
        for wrong, why in (
            ({"migrations": {"desk": "9999_later"}}, r"desk\.9999_later, which this one doesn't have"),
            ({"files": [{**first, "name": "../../etc/passwd"}]}, "lies outside"),
            ({"files": [{**first, "name": "/etc/passwd"}]}, "lies outside"),
            ({"files": [{**first, "sha256": "../../../etc/passwd"}]}, "is no SHA-256"),
            ({"dump": "../../etc/passwd"}, "lies outside"),
            ({"format": 3}, "a newer one made it"),
        ):
            manifest.write_text(json.dumps({**facts, **wrong}))
            manifest.with_suffix(".mac").write_text(mac_of(f"backups/{manifest.name}", manifest.read_text()))
            with pytest.raises(CommandError, match=why):
                restored(there, tmp_path / "backups")
        manifest.write_text("{")
        manifest.with_suffix(".mac").write_text(mac_of(f"backups/{manifest.name}", "{"))
        with pytest.raises(CommandError, match="is no manifest of a backup"):
            restored(there, tmp_path / "backups")


def test_the_schedule_makes_backups_and_says_when_one_is_late(world: World, tmp_path: Path, settings: Any) -> None:
    assert ask_when_due() is None
    settings.BACKUPS = Backups(place=str(tmp_path / "backups"))
    assert "There is none yet." in backups().found
    row = ask_when_due()
    assert row is not None and ask_when_due() is None
    assert back_up(row.pk)
    row.refresh_from_db()
    assert (row.state, row.done, row.total) == ("done", 7, 7) and row.backup in row.said
    assert not is_due() and backups().state == "ok" and "None was ever restored" in backups().found
    Backup.objects.update(asked_at=row.asked_at - timedelta(hours=25), finished_at=row.asked_at - timedelta(hours=37))
    assert is_due() and backups().state == "warning" and "It is late." in backups().found
    later = row.asked_at + timedelta(days=365)
    Backup.objects.update(asked_at=later, finished_at=later)
    assert is_due() and backups().state == "warning", "it was made while the clock was a year ahead"


def test_a_place_that_can_t_be_written_refuses_with_a_sentence(world: World, tmp_path: Path, settings: Any) -> None:
    (tmp_path / "backups").write_text("a file where a folder should be")
    settings.BACKUPS = Backups(place=str(tmp_path / "backups"))
    row = ask_when_due()
    assert row is not None and not back_up(row.pk)
    row.refresh_from_db()
    assert row.state == "refused" and "Not a directory" in row.problem
    assert not is_due() and row.problem in backups().found


def test_a_backup_while_others_write_is_of_one_moment(world: World, tmp_path: Path) -> None:
    """Pairs and their candidates are deleted together by another session, again and again; none is kept by halves."""
    connection.ensure_connection()
    writer = psycopg.connect(database_url(), autocommit=True)
    try:
        for number in range(3):
            with writer.transaction():
                writer.execute("UPDATE corpus_video SET name = %s", [f"name{number}"])
                writer.execute("UPDATE foundation_collection SET title = %s", [f"name{number}"])
            wait_until(lambda: datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ") not in list_of(tmp_path))
            made(tmp_path / "backups")
        with empty_site(tmp_path) as there:
            restored(there, tmp_path / "backups")
            statement = "SELECT v.name, c.title FROM corpus_video v, foundation_collection c"
            assert rows(there["DATABASE_URL"], statement) == [("name2", "name2")]
    finally:
        writer.close()


def test_backups_go_to_s3_and_come_back(
    world: World, tmp_path: Path, s3_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (
        ("QREELS_BACKUP_S3_ENDPOINT", s3_server),
        ("AWS_ACCESS_KEY_ID", "an-id"),
        ("AWS_SECRET_ACCESS_KEY", "a-secret"),
    ):
        monkeypatch.setenv(name, value)
    boto3.resource("s3", endpoint_url=s3_server, region_name="us-east-1").Bucket(BUCKET).create()
    place = f"s3://{BUCKET}/backups/of-paper"
    made(place)  # type: ignore[arg-type]
    with empty_site(tmp_path) as there:
        assert "7 files" in restored(there, place)  # type: ignore[arg-type]
        assert stored(tmp_path / "elsewhere" / "media") == stored(tmp_path / "media")
    with pytest.raises(CommandError, match="s3://no-such-bucket/x/files can't be listed"):
        call_command("backup", "s3://no-such-bucket/x")
