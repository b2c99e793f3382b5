"""Read a consistent snapshot of a collection while judging goes on."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_snapshot() -> Iterator[None]:
    """A read-only transaction that sees one consistent snapshot of the database.

    Raises: RuntimeError inside another transaction, which could be no snapshot of its own.
    """
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
