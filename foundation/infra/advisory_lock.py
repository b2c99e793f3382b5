"""PostgreSQL advisory locks: one process at a time per piece of work.

A process that is killed lets go at once: no heartbeat, and nothing to expire. No row is locked, so nobody who only
reads or changes the row that the work is about has to wait for it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from foundation.models import Collection
from foundation.refused import Busy

_KEYS = "hashtext(%s), hashint8(%s)"


@contextmanager
def alone_at(work: str, number: int, *, wait: bool) -> Iterator[bool]:
    """Context that holds the lock of a piece of work, if it is free. Yields whether it was.

    Args:
        work: what it is, e.g. "corpus.cutting"; a name of its own for each kind of work.
        number: of which row.
        wait: wait until others are done; otherwise it isn't ours while they are at it.
    """
    ours = _take("pg_advisory_lock", work, number, wait)
    try:
        yield ours
    finally:
        if ours:
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT pg_advisory_unlock({_KEYS})", [work, number])


@contextmanager
def beside_others_at(work: str, number: int) -> Iterator[None]:
    """Context that shares the lock of a piece of work: no other session holds it alone (`alone_at`) meanwhile. Waits
    for one that does."""
    _take("pg_advisory_lock_shared", work, number, wait=True)
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT pg_advisory_unlock_shared({_KEYS})", [work, number])


def alone_until_commit(work: str, number: int, *, wait: bool) -> bool:
    """Like `alone_at`, held until the transaction ends, so that the next holder sees what was written."""
    return _take("pg_advisory_xact_lock", work, number, wait)


def somebody_is_at(work: str, number: int) -> bool:
    """Whether any process holds the lock of this piece of work."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND classid::bigint = hashtext(%s)::bigint & 4294967295"
            " AND objid::bigint = hashint8(%s)::bigint & 4294967295)",
            [work, number],
        )
        return bool(cursor.fetchone()[0])


def _take(function: str, work: str, number: int, wait: bool) -> bool:
    with connection.cursor() as cursor:
        if wait:
            cursor.execute(f"SELECT {function}({_KEYS})", [work, number])
            return True
        cursor.execute(f"SELECT {function.replace('pg_', 'pg_try_')}({_KEYS})", [work, number])
        return bool(cursor.fetchone()[0])


def hold_descriptions(collection: Collection, *, wait: bool = False) -> None:
    """Lock a collection's descriptions until the transaction ends: nobody else imports or draws.

    Raises: Busy if somebody does now, unless `wait`.
    """
    if not alone_until_commit("corpus.descriptions", collection.pk, wait=wait):
        raise Busy(
            f"Another import into {collection.name}, or a draw from its descriptions, is under way. "
            "Nothing was changed: try again when it has finished."
        )
