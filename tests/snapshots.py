"""Rows and files that many tests begin with: made by the first of a process, copied by all others.

What services make in 200 ms is back in 20 by COPY, with the ids and times that it had.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import connection, transaction
from psycopg import sql

from tests.emptying import is_superuser, tables_of_tests

_NO_NUMBER_TWICE = """
SELECT setval(quote_ident(sequencename)::regclass, last)
  FROM pg_sequences JOIN unnest(%s::text[], %s::bigint[]) AS taken (name, last) ON name = sequencename
 WHERE coalesce(last_value, 0) < last"""
"""Where a flush in between has let sequences begin anew."""

_taken: dict[str, "Snapshot"] = {}


@dataclass(frozen=True)
class Snapshot:
    """Every table's rows as COPY writes them, and the storage's files."""

    rows: dict[str, bytes]
    numbers: dict[str, int]
    """The last that each sequence gave."""
    files: dict[Path, bytes]


def begin_with(name: str, make: Callable[[], object]) -> None:
    """What `make` makes in an empty database, its files in the storage's folder, is there.

    Args: name: of what is made; the same name, the same rows.
    """
    folder = Path(settings.MEDIA_ROOT)
    elsewhere = folder.exists() or not isinstance(default_storage, FileSystemStorage)
    if elsewhere or not is_superuser() or _tables_with_rows():
        make()
    elif name in _taken:
        _put_back(_taken[name], folder)
    else:
        make()
        _taken[name] = _take(folder)


def _take(folder: Path) -> Snapshot:
    rows = {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT sequencename, last_value FROM pg_sequences WHERE last_value IS NOT NULL")
        numbers = dict(cursor.fetchall())
        for table in _tables_with_rows():
            with cursor.cursor.copy(sql.SQL("COPY {} TO STDOUT").format(sql.Identifier(table))) as copy:
                rows[table] = b"".join(copy)
    files = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return Snapshot(rows, numbers, files)


def _put_back(snapshot: Snapshot, folder: Path) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        # As a replica: rows come in any order, and no trigger makes others of them.
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table, rows in snapshot.rows.items():
            with cursor.cursor.copy(sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table))) as copy:
                copy.write(rows)
        cursor.execute(_NO_NUMBER_TWICE, [list(snapshot.numbers), list(snapshot.numbers.values())])
    for path, content in snapshot.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def _tables_with_rows() -> list[str]:
    asked = sql.SQL(" UNION ALL ").join(
        sql.SQL("SELECT {} WHERE EXISTS (SELECT FROM {})").format(table, sql.Identifier(table))
        for table in tables_of_tests()
    )
    with connection.cursor() as cursor:
        cursor.execute(asked)
        return [table for (table,) in cursor.fetchall()]
