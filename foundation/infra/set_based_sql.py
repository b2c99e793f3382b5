"""Large set-based SQL: joined without nested loops, rows stored by COPY, statistics renewed after commit."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from itertools import chain
from typing import Any

from django.db import connection, transaction
from django.db.models import Model
from django.db.models.expressions import DatabaseDefault

MANY = 1000
"""With at least so many new rows, statistics are renewed at once rather than by autovacuum."""


@contextmanager
def without_nested_loops() -> Iterator[None]:
    """Context within a transaction in which PostgreSQL joins by hashing or sorting, never by nested loops.

    By its statistics a collection that is being filled has no rows. A nested loop is the best plan for none, and takes
    minutes for a hundred thousand. ANALYZE would renew them, but within a transaction it locks out every other ANALYZE
    of the table until the end.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_nestloop = off")
        yield
        # After an error the transaction, or its savepoint, is rolled back and takes the setting along.
        cursor.execute("SET LOCAL enable_nestloop = DEFAULT")


def copy_rows(rows: Iterable[Model]) -> int:
    """Store new rows of one model by COPY, several times as fast as `bulk_create`; their keys stay unknown.

    Each column needs a value, or a default that is one. Returns: how many.
    """
    count = 0
    waiting = iter(rows)
    first = next(waiting, None)
    if first is None:
        return count
    fields = [field for field in first._meta.concrete_fields if not field.primary_key]
    columns = ", ".join(connection.ops.quote_name(field.column) for field in fields if field.column)
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(f"COPY {first._meta.db_table} ({columns}) FROM STDIN") as copy,
    ):
        for row in chain([first], waiting):
            values = (field.get_db_prep_save(field.pre_save(row, add=True), connection) for field in fields)
            copy.write_row([_plain(value) for value in values])
            count += 1
    return count


def _plain(value: Any) -> Any:
    if isinstance(value, DatabaseDefault):
        value = value.expression.value  # type: ignore[attr-defined]  # the stubs don't know it
    return value.value if isinstance(value, Enum) else value


def analyse_after_commit(columns: Mapping[type[Model], tuple[str, ...]]) -> None:
    """ANALYZE these columns once the transaction has committed.

    Only columns that rows are chosen and joined by: with a list of columns PostgreSQL leaves out expression indexes,
    and the one of the full-text search takes longer than all the rest.
    """
    tables = ", ".join(f"{model._meta.db_table} ({', '.join(names)})" for model, names in columns.items())

    def analyse() -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {tables}")

    transaction.on_commit(analyse, robust=True)
