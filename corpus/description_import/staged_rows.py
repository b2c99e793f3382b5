"""SQL over an import's staging tables: pages of rows, refusals, INSERT ... SELECT with a model's defaults."""

from collections.abc import Callable, Iterator
from typing import Any

from django.db import connection
from django.db.models import Model

from corpus.description_formats import BadRow
from foundation.infra.set_based_sql import without_nested_loops

PAGE = 5000
"""Rows fetched or checked at a time."""

Refuse = Callable[[int, str, BadRow, str | None], None]
"""`refuse(line, entry, fault, row as JSON)`"""

_TABLES = ("incoming", "incoming_video", "incoming_known", "incoming_changed", "incoming_named", "incoming_refused")
_INCOMING = """
    CREATE TEMPORARY TABLE incoming (
        n bigint GENERATED ALWAYS AS IDENTITY, line bigint, entry text, source_id text, derived boolean,
        text text, normalised text, kind text, language text, video text, duration float8, starts float8, ends float8,
        moment_id text, raw text
    ) ON COMMIT DROP
"""


class StagedRows:
    """The table `incoming`, whose rows leave it when they are refused; use it within one transaction."""

    def __init__(self, refuse: Refuse) -> None:
        self._refuse = refuse
        self._anything_refused = False
        self._cursor = connection.cursor()
        self._run(f"DROP TABLE IF EXISTS {', '.join(f'pg_temp.{name}' for name in _TABLES)}")
        self._run(_INCOMING)

    def _run(self, sql: str, **values: Any) -> int:
        with without_nested_loops():
            self._cursor.execute(sql, values or None)
        return max(0, int(self._cursor.rowcount))

    def _row(self, sql: str, **values: Any) -> tuple[Any, ...]:
        self._run(sql, **values)
        row: tuple[Any, ...] = self._cursor.fetchone()
        return row

    def _pages(self, sql: str) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a query whose first column is `n`, in its order, some at a time."""
        # A cursor of the server's: a query for each page would join everything again for each page.
        with connection.connection.cursor(name="staged_rows") as cursor:
            with without_nested_loops():
                cursor.execute(f"SELECT * FROM ({sql}) rows ORDER BY n")
            while page := cursor.fetchmany(PAGE):
                yield page

    def _refuse_where(self, sql: str, fault: Callable[..., BadRow], **values: Any) -> None:
        """Refuse the rows that a query (n, and what `fault` takes) finds, and leave them out from here on."""
        self._run(f"CREATE TEMPORARY TABLE incoming_refused ON COMMIT DROP AS {sql}", **values)
        for page in self._pages(
            """SELECT r.*, i.line AS at_line, i.entry AS at_entry, i.raw AS at_raw
               FROM incoming_refused r JOIN incoming i USING (n)"""
        ):
            self._anything_refused = True
            for _, *values_at_fault, line, entry, raw in page:
                self._refuse(line, entry, fault(*values_at_fault), raw)
        self._run("DELETE FROM incoming i USING incoming_refused r WHERE i.n = r.n")
        for table in ("incoming_known", "incoming_changed"):
            if self._row(f"SELECT to_regclass('pg_temp.{table}')")[0]:
                self._run(f"DELETE FROM {table} t USING incoming_refused r WHERE t.n = r.n")
        self._run("DROP TABLE pg_temp.incoming_refused")

    def _insert(self, model: type[Model], columns: dict[str, str], source: str, **values: Any) -> int:
        """INSERT ... SELECT `columns` (name: expression) from `source`; fields left out get their model's default."""
        given = dict(columns)
        for field in model._meta.concrete_fields:
            if not field.primary_key and (column := str(field.column)) not in given:
                values[column] = field.get_default()
                given[column] = f"%({column})s"
        names = ", ".join(f'"{name}"' for name in given)
        return self._run(
            f"INSERT INTO {model._meta.db_table} ({names}) SELECT {', '.join(given.values())} {source}", **values
        )
