"""Tell whether an error means that the database can't be reached."""

from collections.abc import Iterator

import psycopg
from django.db import InterfaceError, OperationalError

_STATES = ("08", "57P01", "57P02", "57P03", "53300")
"""SQLSTATEs: connection trouble, a server that shuts down or starts, all its connections taken."""


def database_is_away(error: BaseException | None) -> bool:
    """Whether the connection to the database couldn't be made or has broken."""
    return any(_says_so(fault) for fault in _chain(error))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _says_so(error: BaseException) -> bool:
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        # libpq's own errors have no state: no server was there to give one.
        return error.sqlstate is None or error.sqlstate.startswith(_STATES)
    return isinstance(error, OperationalError | InterfaceError) and error.__cause__ is None
