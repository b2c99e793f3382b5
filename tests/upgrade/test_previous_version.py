"""A small site of the previous version, upgraded: killed in the middle, called again, and nothing is lost.

`previous/` is a site of 0.1.0 with PostgreSQL 18: the database as plain SQL (`pg_dump --no-owner`), the files of its
storage, and what the site said of its release and its board. A new version is tried against the one before: make these
files anew then. `next_version` adds what a later version brings: a table that comes and goes, and a column.
"""

import gzip
import hashlib
import io
import json
import os
import signal
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from psycopg import sql

from annotation.models import Judgment, Pair
from datasets.leaderboard.scoring import score_stored_run
from datasets.leaderboard.selectors import board_rows
from datasets.models import Board, Release, Run, RunAnswer
from datasets.releases.make_release import create_release
from foundation.infra import upgrade_state
from foundation.models import Membership
from operation.models import Backup
from tests.annotation.judging_steps import judge, sit
from tests.forked import ForkedProcess
from tests.operation.sites import empty_site, run, this_process_at
from tests.tables import POSTGRES
from tests.workers import wait_until

pytestmark = pytest.mark.long

PREVIOUS = Path(__file__).parent / "previous"
EXPECTED: dict[str, Any] = json.loads((PREVIOUS / "expected.json").read_text())
LATE = "datasets_run"
"""A table that one of the next version's migrations changes."""
NEXT = "tests.upgrade.next_version"

Rows = dict[str, tuple[list[str], list[Any]]]
"""Table -> its columns, and its rows as text, in the order of their keys."""


@dataclass
class Site:
    """Where the upgraded site lies, and what it was before."""

    folder: Path
    there: dict[str, str]
    before: Rows
    said: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.there["DATABASE_URL"]


def all_rows(url: str, columns: dict[str, list[str]] | None = None) -> Rows:
    """Of every table, or of these columns of these tables."""
    found: Rows = {}
    with psycopg.connect(url) as session:
        if columns is None:
            columns = {}
            listed = session.execute(
                "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
                " ORDER BY table_name, ordinal_position"
            )
            for table, column in listed:
                columns.setdefault(table, []).append(column)
        for table, names in columns.items():
            texts = sql.SQL(", ").join(sql.SQL("{}::text").format(sql.Identifier(name)) for name in names)
            query = sql.SQL("SELECT {} FROM {} ORDER BY {}")
            key = sql.Identifier(names[0])
            found[table] = (names, session.execute(query.format(texts, sql.Identifier(table), key)).fetchall())
    return found


def client_of(name: str) -> Client:
    client = Client()
    client.force_login(Membership.objects.get(account__username=name).account)  # type: ignore[arg-type]
    return client


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: Any) -> Iterator[Site]:
    """The previous version's site in a database of its own, at which this process is from then on."""
    folder = tmp_path_factory.mktemp("previous")
    with tarfile.open(PREVIOUS / "storage.tar.gz") as packed:
        # Debian 12's Python has no filters yet; it is our own archive.
        packed.extractall(folder / "media", **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    with empty_site(folder.parent, folder.name) as there:
        line = [str(POSTGRES / "psql"), "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", there["DATABASE_URL"]]
        subprocess.run(line, input=gzip.decompress((PREVIOUS / "database.sql.gz").read_bytes()), check=True)
        there["DJANGO_SETTINGS_MODULE"] = f"{NEXT}.settings"
        with django_db_blocker.unblock(), this_process_at(there):
            yield Site(folder, there, all_rows(there["DATABASE_URL"]))


@pytest.fixture(scope="module")
def upgraded(site: Site) -> Site:
    """Killed when one migration is applied and the next is under way, then called again."""
    line = ["manage.py", "upgrade", "--backup-to", str(site.folder / "backups")]
    waits = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with psycopg.connect(site.url) as reader, psycopg.connect(site.url, autocommit=True) as server:
        reader.execute(f"SELECT count(*) FROM {LATE}")
        process = ForkedProcess(line, env=site.there, log=site.folder / "log")
        wait_until(lambda: server.execute(waits).fetchone() or process.poll() is not None)
        waiter = server.execute(waits).fetchone()
        assert process.poll() is None and waiter is not None, (site.folder / "log").read_text()
        assert Client().get("/login/").status_code == 503
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)
        reader.rollback()
        # PostgreSQL sees at the end of the statement that the process is gone, and gives its lock free.
        gone = "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = %s)"
        wait_until(lambda: server.execute(gone, waiter).fetchone() == (True,))
        standing = upgrade_state.current()
        assert standing is not None and not standing.done and standing.backup.startswith("2")
        assert client_without_database().status_code == 503
        applied = "SELECT count(*) FROM django_migrations WHERE app = 'next_version'"
        half = server.execute(applied).fetchone()
        code, said = run(site.there, site.folder / "again", *line[1:])
        assert code == 0, said
        assert half != server.execute(applied).fetchone() or " wait" in said
    site.said = said.splitlines()
    return site


def client_without_database() -> Any:
    return Client().get("/c/tiny/judge/")


def test_what_was_broken_off_goes_on_and_makes_no_second_backup(upgraded: Site) -> None:
    assert any("was made before" in line for line in upgraded.said)
    assert upgraded.said[-1].startswith("Restart the server and the workers")
    assert len(list((upgraded.folder / "backups" / "backups").glob("*.json"))) == 1
    assert Client().get("/login/").status_code == 200
    out = StringIO()
    call_command("upgrade", stdout=out)
    assert "already" in out.getvalue()
    call_command("upgrade", "--check")


def test_every_row_is_as_it_was_in_the_columns_that_there_were(upgraded: Site) -> None:
    now = all_rows(upgraded.url)
    lost = upgraded.before.keys() - now.keys()
    assert not lost
    left = {table: [name for name in names if name in now[table][0]] for table, (names, _) in upgraded.before.items()}
    found = all_rows(upgraded.url, left)
    for table, (names, rows) in upgraded.before.items():
        if table == "django_migrations":
            continue
        kept = [names.index(name) for name in left[table]]
        expected = [tuple(row[place] for place in kept) for row in rows]
        grown = [row for row in found[table][1] if row not in set(expected)]
        assert [row for row in found[table][1] if row not in grown] == expected, table
        assert not grown or table in ("auth_permission", "django_content_type", "operation_backup"), table


def test_a_release_is_downloaded_byte_by_byte_and_its_board_says_the_same(upgraded: Site) -> None:
    release = Release.objects.get(name="v1")
    answer = client_of("ada").get(f"/c/tiny/releases/{release.pk}/archive")
    assert answer.status_code == 200
    packed = b"".join(answer.streaming_content) if answer.streaming else answer.content
    assert hashlib.sha256(packed).hexdigest() == EXPECTED["release"]["archive_sha256"]
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        hashes = {
            Path(one.name).name: hashlib.sha256(archive.extractfile(one).read()).hexdigest()  # type: ignore[union-attr]
            for one in archive
            if one.isfile()
        }
    assert hashes == EXPECTED["release"]["files"]
    board = Board.objects.get()
    assert said(board) == EXPECTED["board"]
    for one in Run.objects.filter(board=board):
        RunAnswer.objects.filter(run=one).delete()
        Run.objects.filter(pk=one.pk).update(values={}, state=Run.State.QUEUED)
        score_stored_run(run_id=one.pk)
    assert said(board) == EXPECTED["board"]


def said(board: Board) -> list[dict[str, Any]]:
    rows = board_rows(board, sort="NDCG@20,IoU>=0.5")
    return [{"name": row.name, "cells": {cell.measure: cell.value for cell in row.cells}} for row in rows]


def test_judging_and_releasing_go_on(upgraded: Site) -> None:
    member = Membership.objects.select_related("collection").get(account__username="di")
    sit(member)
    pair = Pair.objects.filter(status=Pair.Status.OPEN, judgments=None).order_by("pk")[0]
    before = Judgment.objects.count()
    assert judge(member, pair, 3, played=1.0).outcome == "counted"
    assert Judgment.objects.count() == before + 1
    second = create_release(collection=member.collection, name="v2")
    assert second.manifest["files"].keys() >= {"val.json", "test.json"}
    page = client_of("ada").get("/c/tiny/")
    assert page.status_code == 200 and page["Content-Type"].startswith("text/html")


def test_the_backup_from_before_can_be_restored(upgraded: Site) -> None:
    out = StringIO()
    call_command("restore", str(upgraded.folder / "backups"), "--verify", stdout=out)
    assert "can be restored" in out.getvalue()
    row = Backup.objects.get()
    assert row.verified_at is not None and row.asked_at <= timezone.now()


def test_a_database_of_a_newer_version_is_refused(upgraded: Site) -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('desk', '9999_later', now())")
        try:
            for option in ("--check", "--cancel", "--no-backup"):
                with pytest.raises(CommandError, match=r"newer Qreels: it has desk\.9999_later"):
                    call_command("upgrade", option)
        finally:
            cursor.execute("DELETE FROM django_migrations WHERE name = '9999_later'")
