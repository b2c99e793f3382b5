"""Other installations for tests of backups: an empty database of the tests' server, a folder, commands there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import override_settings

from tests.forked import ForkedProcess
from tests.tables import url_of


@contextmanager
def empty_site(tmp_path: Path, name: str = "elsewhere") -> Iterator[dict[str, str]]:
    """The environment of another installation with an empty database, and the secret key of this one."""
    database = f"restored_{os.getpid()}"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(f"CREATE DATABASE {database} TEMPLATE template0")
        try:
            var = tmp_path / name
            own = {"DATABASE_URL": url_of(database), "QREELS_VAR": str(var), "QREELS_VIDEOS": ""}
            yield {**os.environ, **own, "QREELS_SECRET_KEY": settings.SECRET_KEY}
        finally:
            server.execute(f"DROP DATABASE {database} WITH (FORCE)")


@contextmanager
def this_process_at(site: dict[str, str]) -> Iterator[None]:
    """Meanwhile this process is at another site: with its database, its storage, its videos. A command that is called
    here takes none of the seconds that a process of its own does."""
    folder = Path(site["QREELS_VAR"])
    own = {"VAR": folder, "MEDIA_ROOT": str(folder / "media"), "VIDEO_FOLDER": folder / "videos"}
    before = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = site["DATABASE_URL"].partition("?")[0].rpartition("/")[2]
    try:
        with override_settings(**own, SCRATCH=folder / "scratch"):
            yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = before


def restored(site: dict[str, str], source: Path, *arguments: str) -> str:
    """`manage.py restore SOURCE ARGUMENTS` there, in this process. Returns: what it said. Raises: CommandError."""
    out = StringIO()
    with this_process_at(site):
        call_command("restore", str(source), *arguments, stdout=out, stderr=out)
    return out.getvalue()


def run(environment: dict[str, str], log: Path, *arguments: str) -> tuple[int, str]:
    """`manage.py ARGUMENTS` there: its exit code and what it said."""
    process = ForkedProcess(["manage.py", *arguments], env=environment, log=log)
    code = process.wait(120)
    output = log.read_text()
    log.unlink()
    return code, output


def made(target: Path, **options: Any) -> str:
    """Make a backup by the command, with the settings of this process. Returns: what it said."""
    out = StringIO()
    call_command("backup", str(target), stdout=out, stderr=out, **options)
    return out.getvalue()


def stored(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def rows(url: str, statement: str) -> list[Any]:
    with psycopg.connect(url) as session:
        return session.execute(statement).fetchall()
