"""Triggers that write a table's changes to the trail: a room's migration calls `watch` for each of its tables.

Statement triggers with transition tables: one call a statement, however many rows it has. Up to `SHOWN` rows are told
one by one, more as one entry with their number. The functions that they call are in `foundation/migrations/`.
"""

from collections.abc import Sequence

from django.db.migrations import RunSQL

SHOWN = 20
JOB = ("due_at", "begun", "touched_at", "done", "total", "step", "bytes_done", "started_at", "said")
"""Columns of a job that a worker writes twice a second: how far it is, which nobody decided."""
OWN_COLLECTION = "SELECT ($1->>'collection_id')::bigint"
EVERY = ("insert", "update", "delete")

_TABLES = {
    "insert": "NEW TABLE AS new_rows",
    "update": "OLD TABLE AS old_rows NEW TABLE AS new_rows",
    "delete": "OLD TABLE AS old_rows",
}


def _quoted(text: str) -> str:
    return "'{}'".format(text.replace("'", "''"))


def watch_columns(table: str, columns: Sequence[str], *, place: str = OWN_COLLECTION, only_when: str = "") -> RunSQL:
    """Watch only some columns of a table that judging writes all the time.

    Args: only_when: SQL of OLD and NEW; without it, whenever one of the columns has changed.
    """
    changed = " OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in columns)
    return RunSQL(
        f"CREATE OR REPLACE TRIGGER audit_columns AFTER UPDATE OF {', '.join(columns)} ON {table} FOR EACH ROW"
        f" WHEN ({only_when or changed})"
        f" EXECUTE FUNCTION foundation_audit_row({_quoted(place)}, {_quoted('{' + ','.join(columns) + '}')});",
        f"DROP TRIGGER IF EXISTS audit_columns ON {table};",
    )


def watch(
    table: str,
    *,
    place: str = OWN_COLLECTION,
    secret: Sequence[str] = (),
    quiet: Sequence[str] = (),
    operations: Sequence[str] = EVERY,
) -> RunSQL:
    """Make a table's triggers; safe to repeat.

    Args:
        place: SQL that says a row's collection; $1 is the row as jsonb.
        secret: columns of which is kept that they changed, and not what they were.
        quiet: columns whose change alone makes no entry.
    """
    arguments = ", ".join(
        _quoted(argument) for argument in (place, f"{{{','.join(secret)}}}", f"{{{','.join(quiet)}}}", str(SHOWN))
    )
    return RunSQL(
        "\n".join(
            f"CREATE OR REPLACE TRIGGER audit_{kind} AFTER {kind.upper()} ON {table} REFERENCING {_TABLES[kind]}"
            f" FOR EACH STATEMENT EXECUTE FUNCTION foundation_audit({arguments});"
            for kind in operations
        ),
        "\n".join(f"DROP TRIGGER IF EXISTS audit_{kind} ON {table};" for kind in EVERY),
    )
