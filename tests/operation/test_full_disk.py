"""Disks that are full: under PostgreSQL while people judge, under a backup's place, and under what it makes there."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from annotation.models import Judgment
from config.embedded import EmbeddedPostgres
from operation.backup.make_backup import backups_of
from operation.backup.stores import open_store
from tests.conftest import build_world
from tests.operation.full_disks import fill, small_disk
from tests.operation.sites import made
from tests.tables import POSTGRES, url_of


@pytest.fixture
def own_server(tmp_path: Path, tables: str, django_db_setup: None, django_db_blocker: Any) -> Iterator[Path]:
    """A PostgreSQL whose files lie on a disk of their own, at whose database this process is meanwhile."""
    import subprocess

    short = Path("/tmp") / f"qreels-full-{os.getpid()}"  # a Unix socket's path has at most 107 characters
    with small_disk(short, megabytes=192) as disk:
        server = EmbeddedPostgres(disk / "var")
        url = server.hold()
        before = dict(connection.settings_dict)
        try:
            dumped = subprocess.run([POSTGRES / "pg_dump", url_of(tables)], capture_output=True, check=True).stdout
            psql = [POSTGRES / "psql", "--quiet", "--output=/dev/null", url]
            subprocess.run(psql, input=dumped, check=True)
            there = psycopg.conninfo.conninfo_to_dict(url)
            with django_db_blocker.unblock():
                connection.close()
                connection.settings_dict |= {
                    "NAME": there["dbname"],
                    "USER": there.get("user", "postgres"),
                    "HOST": there["host"],
                    "PORT": there.get("port", ""),
                }
                try:
                    yield disk
                finally:
                    connection.close()
                    connection.settings_dict |= before
        finally:
            server.let_go()
    short.rmdir()


def test_with_postgresql_s_disk_full_what_was_acknowledged_is_stored_and_judging_goes_on(own_server: Path) -> None:
    world = build_world(queries=12, candidates=20)
    people = {name: Client(raise_request_exception=False) for name in ("bo", "cy")}
    for name, client in people.items():
        client.force_login(world[name].account)  # type: ignore[arg-type]
    acknowledged: set[uuid.UUID] = set()
    refused: list[tuple[str, dict[str, Any]]] = []
    filler = None
    for name, client in people.items():
        tasks = client.post("/c/paper/judge/next", {}, content_type="application/json").json()["tasks"]
        for _ in range(150):
            if len(acknowledged) == 20 and filler is None:
                filler = fill(own_server)
            sent = {"pair": tasks[0]["pair"], "grade": 3, "key": str(uuid.uuid4()), "played": 1.0, "active_ms": 900}
            answer = client.post("/c/paper/judge/grade", sent, content_type="application/json")
            if answer.status_code != 200:
                refused.append((name, sent))
                assert answer.status_code == 503, answer.content
                assert "no space left" in answer.json()["error"] and answer["Retry-After"]
                break
            acknowledged.add(uuid.UUID(sent["key"]))
            tasks = answer.json()["tasks"] or tasks[1:]
    assert refused and filler is not None
    filler.unlink()
    for name, sent in refused:
        answer = people[name].post("/c/paper/judge/grade", sent, content_type="application/json")
        assert answer.status_code == 200, answer.content
        acknowledged.add(uuid.UUID(str(sent["key"])))
    assert set(Judgment.objects.values_list("key", flat=True)) == acknowledged


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("full", ["the place", "where it is made"])
def test_a_backup_without_space_is_none_and_the_next_goes_on(full: str, tmp_path: Path, settings: Any) -> None:
    settings.MEDIA_ROOT, settings.VIDEO_FOLDER = str(tmp_path / "media"), tmp_path / "videos"
    build_world()
    video = settings.VIDEO_FOLDER / "paper" / "film.mp4"
    video.parent.mkdir(parents=True)
    video.write_bytes(os.urandom(300_000))
    with small_disk(tmp_path / "disk", megabytes=2) as disk:
        target = (disk if full == "the place" else tmp_path) / "backups"
        settings.SCRATCH = (tmp_path if full == "the place" else disk) / "scratch"
        filler = fill(disk)
        with pytest.raises(CommandError, match="No space left on device"):
            call_command("backup", str(target))
        assert backups_of(open_store(str(target))) == []
        assert not [path for path in target.rglob("*") if path.is_file() and path.parent.name == "backups"]
        with pytest.raises(CommandError, match="has no backup"):
            call_command("restore", str(target), "--verify")
        filler.unlink()
        assert " 1 file," in made(target)
        call_command("restore", str(target), "--verify")
        assert not list(settings.SCRATCH.iterdir())
