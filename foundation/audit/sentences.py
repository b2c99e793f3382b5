"""A change as a sentence: what was added, changed or removed, by the names that models give tables and columns."""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.apps import apps
from django.db import models
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foundation.models import AuditEntry

NAMED_BY = ("title", "name", "worker", "file_name", "label", "text")
"""Columns by which a row is known to people, the best first."""
NOT_KEPT = "(not kept)"
"""What the trail has in the place of secrets and of people's own words."""
LONGEST = 80
"""Characters of a value in a sentence; all of it stands below."""


@lru_cache(maxsize=1)
def _models() -> dict[str, type[models.Model]]:
    return {model._meta.db_table: model for model in apps.get_models()}


def names_of(rows: Iterable[tuple[str, int | None]]) -> dict[tuple[str, int], str]:
    """What people call those rows (table, key) that are there still. One SQL query a table that has such names."""
    asked: dict[str, set[int]] = {}
    for table, row in rows:
        if row is not None:
            asked.setdefault(table, set()).add(row)
    names = {}
    for table, keys in asked.items():
        model = _models().get(table)
        column = next((column for column in ("worker", "title") if _field(model, column)), "")
        if model is not None and column:
            named = model._default_manager.filter(pk__in=keys).values_list("pk", column)
            names.update({(table, pk): name for pk, name in named})
    return names


def sentence(entry: AuditEntry, name: str = "") -> str:
    """The change in words, such as "Membership 3 (w02) was changed: status from admitted to paused."

    Args: name: what people call the row now.
    """
    model = _models().get(entry.table)
    if entry.row is None:
        things = str(model._meta.verbose_name_plural) if model else entry.table
        rows = entry.rows
        words = {
            "insert": ngettext("%(rows)s of the %(things)s was added.", "%(rows)s %(things)s were added.", rows),
            "update": ngettext("%(rows)s of the %(things)s was changed.", "%(rows)s %(things)s were changed.", rows),
            "delete": ngettext("%(rows)s of the %(things)s was removed.", "%(rows)s %(things)s were removed.", rows),
        }
        return words[entry.operation] % {"rows": f"{rows:,}", "things": things}
    was, now = entry.before or {}, entry.after or {}
    thing = {"thing": _thing(model, entry.table, entry.row, name, now if entry.operation == "insert" else was)}
    if entry.operation == "insert":
        return _("%(thing)s was added.") % thing
    if entry.operation == "delete":
        return _("%(thing)s was removed.") % thing
    changed = "; ".join(
        _("%(what)s from %(was)s to %(now)s")
        % {
            "what": _column(model, column),
            "was": _value(model, column, was.get(column)),
            "now": _value(model, column, now[column]),
        }
        for column in sorted(now)
        if column not in was or was[column] != now[column]
    )
    return (_("%(thing)s was changed: %(changed)s.") if changed else _("%(thing)s was changed.")) % {
        **thing,
        "changed": changed,
    }


def _thing(model: type[models.Model] | None, table: str, row: int, name: str, known: dict[str, Any]) -> str:
    kind = table if model is None else _title(model) or str(model._meta.verbose_name)
    named = (str(known[column]) for column in NAMED_BY if known.get(column))
    name = name or next((text for text in named if text != NOT_KEPT), "")
    return f"{capfirst(kind)} {row}" + (f" ({_short(name)})" if name else "")


def _title(model: type[models.Model]) -> str:
    """What pages call a kind of job; "" for another model."""
    title = getattr(model, "TITLE", "")
    return _(title) if title else ""


def _field(model: type[models.Model] | None, column: str) -> "models.Field[Any, Any] | None":
    fields = model._meta.concrete_fields if model else ()
    return next((field for field in fields if column in (field.attname, field.column)), None)


def _column(model: type[models.Model] | None, column: str) -> str:
    field = _field(model, column)
    return str(field.verbose_name) if field else column


def _value(model: type[models.Model] | None, column: str, value: Any) -> str:
    field = _field(model, column)
    if value is None or value in ("", [], {}):
        return _("nothing")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(field, models.DateTimeField) and value != NOT_KEPT:
        return f"{datetime.fromisoformat(value):%Y-%m-%d %H:%M} UTC"
    if isinstance(value, dict):
        value = [f"{key}: {each}" for key, each in value.items()]
    if isinstance(value, list):
        return _short(", ".join(map(str, value)))
    if isinstance(field, models.CharField | models.TextField) and not field.choices:
        return _("“%(text)s”") % {"text": _short(str(value))}
    return _short(str(dict(field.flatchoices).get(value, value) if field else value))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
