"""SQL prepared once per connection, for the few statements of the hot path.

Django's own cursors bind on the client, so each of their statements is planned anew. These go around them, on the
same connection and in the same transaction.
"""

from collections.abc import Mapping
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection, connections, models

Row = tuple[Any, ...]


def columns_of(model: type[models.Model], alias: str) -> tuple[list[str], str]:
    """What `from_db` of a model wants: its fields' names, and the same as columns of a SELECT, of the table `alias`."""
    fields = [field.attname for field in model._meta.concrete_fields]
    return fields, ", ".join(f'{alias}."{field}"' for field in fields)


def rows_of(statement: str, values: Mapping[str, Any]) -> list[Row]:
    """Execute one statement; its rows, none where it returns none."""
    here = connections[DEFAULT_DB_ALIAS]  # looked up once: Django's `connection` does it for each attribute
    here.ensure_connection()
    if here.queries_logged:
        here.queries_log.append({"sql": statement, "time": "0"})
    raw = here.connection
    # Django switches preparing off for its connections, which overrules what a single statement asks for.
    raw.prepare_threshold = 0
    try:
        cursor = psycopg.Cursor(raw).execute(statement, values, prepare=True)
    finally:
        raw.prepare_threshold = None
    # Not by its description, which would be made for each of the columns.
    return cursor.fetchall() if cursor.pgresult is not None and cursor.pgresult.nfields else []


def rows_of_first(statement: str, values: Mapping[str, Any]) -> list[Row]:
    """As `rows_of`, for a request's first statement: a connection that a restarted server cut is made anew."""
    try:
        rows = rows_of(statement, values)
    except psycopg.OperationalError:
        # One that still stands wasn't cut: PostgreSQL has ended the statement, for its time limit or a deadlock.
        if connection.in_atomic_block or not connection.connection.closed:
            raise
        connection.close()
        rows = rows_of(statement, values)
    # Django needn't ask whether it stands.
    connection.health_check_done = True  # type: ignore[attr-defined]  # the stubs don't know it
    return rows
