"""Large set-based SQL: joined without nested loops, statistics renewed after commit."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django.db import connection, transaction
from django.db.models import Model

MANY = 1000
"""With at least so many new rows, statistics are renewed at once rather than by autovacuum."""


@contextmanager
def without_nested_loops() -> Iterator[None]:
    """Context within a transaction in which PostgreSQL joins by hashing or sorting, never by nested loops.

    It can't know how many rows a collection has that is being filled: going by its statistics, none. A nested loop is
    the best plan for none, and takes minutes for a hundred thousand. ANALYZE would tell it, but within a
    transaction that locks out every other ANALYZE of the table until the end.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_nestloop = off")
        yield
        # After an error the transaction, or its savepoint, is rolled back and takes the setting along.
        cursor.execute("SET LOCAL enable_nestloop = DEFAULT")


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
