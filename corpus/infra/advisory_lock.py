"""PostgreSQL advisory locks: one process at a time per piece of work.

A process that is killed lets go at once: no heartbeat, and nothing to expire.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def alone_at(work: str, number: int, *, wait: bool) -> Iterator[bool]:
    """Do a piece of work while nobody else does it. Yields whether it is ours.

    Args:
        work: what it is, e.g. "corpus.cutting"; a name of its own for each kind of work.
        number: of which row.
        wait: wait until others are done; otherwise it isn't ours while they are at it.
    """
    names = [work, number]
    with connection.cursor() as cursor:
        if wait:
            cursor.execute("SELECT pg_advisory_lock(hashtext(%s), hashint8(%s))", names)
            ours = True
        else:
            cursor.execute("SELECT pg_try_advisory_lock(hashtext(%s), hashint8(%s))", names)
            ours = bool(cursor.fetchone()[0])
    try:
        yield ours
    finally:
        if ours:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtext(%s), hashint8(%s))", names)


def is_held(work: str, number: int) -> bool:
    """Whether somebody is at a piece of work at this moment, this process included. It disturbs nobody."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND classid::bigint = hashtext(%s)::bigint & 4294967295"
            " AND objid::bigint = hashint8(%s)::bigint & 4294967295",
            [work, number],
        )
        return cursor.fetchone() is not None
