"""Other installations for tests of backups: an empty database of the tests' server, a folder, commands there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
from django.core.management import call_command

from tests.forked import ForkedProcess
from tests.tables import url_of


@contextmanager
def empty_site(tmp_path: Path, name: str = "elsewhere") -> Iterator[dict[str, str]]:
    """The environment of another installation with an empty database."""
    database = f"restored_{os.getpid()}"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(f"CREATE DATABASE {database} TEMPLATE template0")
        try:
            var = tmp_path / name
            yield {**os.environ, "DATABASE_URL": url_of(database), "QREELS_VAR": str(var), "QREELS_VIDEOS": ""}
        finally:
            server.execute(f"DROP DATABASE {database} WITH (FORCE)")


def run(environment: dict[str, str], log: Path, *arguments: str) -> tuple[int, str]:
    """`manage.py ARGUMENTS` there: its exit code and what it said."""
    process = ForkedProcess(["manage.py", *arguments], env=environment, log=log)
    code = process.wait(120)
    said = log.read_text()
    log.unlink()
    return code, said


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
