"""The rows of a collection in the tables of all rooms, found by foreign keys, and the files that they name."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from django.apps import apps
from django.db import connection
from django.db.models import CASCADE, CharField, Field, ForeignKey, Model, QuerySet

from foundation.deletion.hooks import sweep_all
from foundation.models import Collection, Job, JobLine

AT_ONCE = 2000
"""Names of files that are looked up in one statement."""


@cache
def tables() -> list[tuple[type[Model], str]]:
    """Every table whose rows belong to a collection, with the path that leads there, the farthest first.

    A row belongs to what it can't exist without: what a key of it that is never null, or that cascades, points to.
    """
    paths: dict[type[Model], str] = {Collection: "pk"}
    keys_that_hold: list[Callable[[Any], bool]] = [
        lambda key: not key.null,
        lambda key: key.remote_field.on_delete is CASCADE,
    ]
    for belongs in keys_that_hold:
        grown = True
        while grown:
            grown = False
            for model in apps.get_models(include_auto_created=True):
                keys = [key for key in _keys(model) if key.related_model in paths and belongs(key)]
                if model not in paths and keys:
                    near = min(keys, key=lambda key: _depth(paths[key.related_model]))
                    above = paths[near.related_model]
                    paths[model] = near.name if above == "pk" else f"{near.name}__{above}"
                    grown = True
    return sorted(paths.items(), key=lambda table_and_path: (-_depth(table_and_path[1]), table_and_path[0]._meta.label))


def _depth(path: str) -> int:
    return 0 if path == "pk" else 1 + path.count("__")


def _keys(model: type[Model]) -> list[Any]:
    return [field for field in model._meta.concrete_fields if isinstance(field, ForeignKey)]


def rows_of(model: type[Model], path: str, collections: list[int]) -> QuerySet[Model]:
    """The rows of a table that belong to these collections."""
    return model._default_manager.filter(**{f"{path}__in": collections}).order_by()


def delete_rows(collections: list[int], advance: Callable[[int], object]) -> list[str]:
    """Delete all rows of these collections, within the caller's transaction.

    Args: told: called with 1 after each table.
    Returns: the names of the files that they alone named, which are to be removed from the storage.
    Raises: IntegrityError at the transaction's end if somebody added something to them meanwhile.
    """
    with connection.cursor() as cursor:
        # Judgments are append-only otherwise: annotation's trigger lets them go with their collection alone.
        cursor.execute("SELECT set_config('qreels.deletes_collection', 'yes', true)")
    sweep_all(collections)
    named: dict[tuple[type[Model], str], set[str]] = {}
    for model, path in tables():
        rows = rows_of(model, path, collections)
        for field in file_columns(model):
            names = rows.exclude(**{field: ""}).values_list(field, flat=True)
            named[model, field] = set(names.iterator())
        if issubclass(model, Job):
            lines = JobLine.objects.filter(kind=model._meta.label_lower, job__in=rows.values("pk"))
            lines._raw_delete(lines.db)
        _let_go(model, rows)
        rows._raw_delete(rows.db)
        advance(1)
    return sorted(name for (model, field), names in named.items() for name in names - _still_named(model, field, names))


def file_columns(model: type[Model]) -> list[str]:
    """The columns that hold names of files in the storage."""
    return [field.name for field in model._meta.concrete_fields if _names_file(field)]


def _names_file(field: Field[Any, Any]) -> bool:
    return isinstance(field, CharField) and (field.name.endswith("_file") or "in the storage" in str(field.help_text))


def _let_go(model: type[Model], rows: QuerySet[Model]) -> None:
    """Empty the keys by which rows that belong to no collection point to these."""
    for relation in model._meta.related_objects:
        key = relation.field
        # What belongs to a collection goes with it; keys are compared when all of it is gone.
        if relation.related_model not in dict(tables()) and key.null and key.remote_field.on_delete is not CASCADE:
            relation.related_model._default_manager.filter(**{f"{key.name}__in": rows.values("pk")}).update(
                **{key.name: None}
            )


def _still_named(model: type[Model], field: str, names: set[str]) -> set[str]:
    """Those of the names that rows of other collections have too: equal runs share a file."""
    listed, named = sorted(names), set()
    for first in range(0, len(listed), AT_ONCE):
        some = listed[first : first + AT_ONCE]
        named |= set(model._default_manager.filter(**{f"{field}__in": some}).values_list(field, flat=True))
    return named
