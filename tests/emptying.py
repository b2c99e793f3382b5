"""The database emptied after a test that commits: by DELETE, which takes a tenth of Django's TRUNCATE of 68 tables."""

import time
from functools import lru_cache

from django.core.management import call_command
from django.db import connection
from django.test import TransactionTestCase

KEPT = frozenset({"django_content_type", "auth_permission"})
"""Written by `migrate`; Django's flush empties them and writes them anew after each test."""


def empty_database() -> None:
    """Every row of every table goes; where we aren't superuser, by Django's flush."""
    statement = _deletes()
    if statement is None:
        with connection.cursor() as cursor:
            cursor.execute("SET qreels.forgets = 'yes'")  # the trail stays otherwise
            call_command("flush", verbosity=0, interactive=False)
            cursor.execute("SET qreels.forgets = 'no'")
        return
    with connection.cursor() as cursor:
        cursor.execute(statement)


def empty_by_delete() -> None:
    """Have Django's tests that commit leave their database so."""
    TransactionTestCase._fixture_teardown = lambda case: empty_database()  # type: ignore[method-assign]


def end_other_sessions(patience: float = 5) -> list[str]:
    """Sessions of processes that have just ended may take a moment to go; the others are ended.

    Returns: the last statement of each that had to be ended.
    """
    deadline = time.monotonic() + patience
    with connection.cursor() as cursor:
        while True:
            cursor.execute(
                "SELECT pid, query FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
            found = cursor.fetchall()
            if not found:
                return []
            if time.monotonic() > deadline:
                break
            time.sleep(0.1)
        cursor.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s) AS pid", [[pid for pid, _ in found]])
    return [statement for _, statement in found]


@lru_cache(maxsize=1)
def is_superuser() -> bool:
    """Whether we may act as a replica, for which foreign keys and triggers are silent."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT usesuper FROM pg_user WHERE usename = current_user")
        return bool(cursor.fetchone()[0])


@lru_cache(maxsize=1)
def tables_of_tests() -> tuple[str, ...]:
    """The tables that are empty when a test begins."""
    tables = connection.introspection.django_table_names(only_existing=True)
    return tuple(name for name in tables if name not in KEPT)


@lru_cache(maxsize=1)
def _deletes() -> str | None:
    if not is_superuser():
        return None
    deletes = "; ".join(f"DELETE FROM {connection.ops.quote_name(name)}" for name in tables_of_tests())
    # As a replica: no foreign key asks after each row, and no trigger keeps judgments from being deleted.
    return f"BEGIN; SET LOCAL session_replication_role = replica; {deletes}; COMMIT"
