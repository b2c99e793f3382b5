"""Rows of generated collections, made by PostgreSQL itself: INSERT ... SELECT, with the models' defaults."""

from collections.abc import Iterable, Mapping

from django.apps import apps
from django.db import connection

Row = tuple[str, dict[str, str], str]
"""Model, column -> SQL, where the rows come from; every other column takes its model's default."""
Value = int | float | str | None

_OF_MOMENTS = "corpus_moment m JOIN corpus_video v ON v.id = m.video_id WHERE v.collection_id = %(collection)s"
_OF_DESCRIPTIONS = "corpus_description d WHERE d.collection_id = %(collection)s"
_OF_ATTEMPTS = f"queries_attempt a, {_OF_DESCRIPTIONS} AND d.id = a.description_id"


def clips(seconds: str) -> Row:
    """A clip of each moment."""
    columns = {
        "moment_id": "m.id",
        "public_name": "md5(%(collection)s || '-' || m.id)",
        "video_file": "'clips/' || m.id || '.mp4'",
        "duration": seconds,
        "made_at": "now()",
    }
    return "corpus.Clip", columns, _OF_MOMENTS


def descriptions(text: str) -> Row:
    """A description of each moment `m`."""
    columns = {
        "collection_id": "%(collection)s",
        "moment_id": "m.id",
        "source_id": "m.id::text",
        "text": text,
        "normalised": f"lower({text})",
    }
    return "corpus.Description", columns, _OF_MOMENTS


def attempts(text: str, **columns: str) -> Row:
    """An attempt at each description `d`, which passes the checks."""
    usual = {
        "description_id": "d.id",
        "number": "1",
        "text": text,
        "rewriter": "'rules'",
        "similarity_passed": "true",
        "names_passed": "true",
        "made_at": "now()",
    }
    return "queries.Attempt", usual | columns, _OF_DESCRIPTIONS


def captions(**columns: str) -> Row:
    """A caption, accepted, of each attempt `a`."""
    usual = {
        "description_id": "a.description_id",
        "attempt_id": "a.id",
        "text": "a.text",
        "normalised": "lower(a.text)",
        "status": "'accepted'",
    }
    return "queries.Caption", usual | columns, _OF_ATTEMPTS


def make_rows(steps: Iterable[Row | str], values: Mapping[str, Value]) -> None:
    """Insert rows and run statements, in order; `values` are what these name."""
    with connection.cursor() as cursor:
        for step in steps:
            if isinstance(step, str):
                cursor.execute(step, values)
                continue
            table, statement, defaults = _insert(*step)
            cursor.execute(statement, {**values, **defaults})
            # The next statement joins it: without figures about it the planner would walk it row by row.
            cursor.execute(f"ANALYZE {table}")


def _insert(label: str, columns: dict[str, str], source: str) -> tuple[str, str, dict[str, Value]]:
    """The table, the statement, and the values of the columns that take their model's default; the database knows its
    own."""
    model = apps.get_model(label)
    defaults: dict[str, Value] = {
        field.column: field.get_db_prep_save(field.get_default(), connection)
        for field in model._meta.concrete_fields
        if field.column not in columns
        and f'"{field.column}"' not in columns
        and not field.primary_key
        and (field.has_default() or not field.has_db_default())
    }
    names = [*columns, *(f'"{name}"' for name in defaults)]
    expressions = [*columns.values(), *(f"%(default_{name})s" for name in defaults)]
    table = model._meta.db_table
    statement = f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(expressions)} FROM {source}"
    return table, statement, {f"default_{name}": value for name, value in defaults.items()}
