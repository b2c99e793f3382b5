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
    found = {}
    for table, keys in asked.items():
        model = _models().get(table)
        column = next((one for one in ("worker", "title") if _field(model, one)), "")
        if model is not None and column:
            named = model._default_manager.filter(pk__in=keys).values_list("pk", column)
            found.update({(table, pk): name for pk, name in named})
    return found


def sentence(
    *,
    table: str,
    operation: str,
    row: int | None,
    rows: int,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
    name: str = "",
) -> str:
    """The change in words, such as "Membership 3 (w02) was changed: status from admitted to paused."

    Args: name: what people call the row now.
    """
    model = _models().get(table)
    if row is None:
        things = str(model._meta.verbose_name_plural) if model else table
        words = {
            "insert": ngettext("%(rows)s of the %(things)s was added.", "%(rows)s %(things)s were added.", rows),
            "update": ngettext("%(rows)s of the %(things)s was changed.", "%(rows)s %(things)s were changed.", rows),
            "delete": ngettext("%(rows)s of the %(things)s was removed.", "%(rows)s %(things)s were removed.", rows),
        }
        return words[operation] % {"rows": f"{rows:,}", "things": things}
    thing = {"thing": _thing(model, table, row, name, after if operation == "insert" else before)}
    if operation == "insert":
        return _("%(thing)s was added.") % thing
    if operation == "delete":
        return _("%(thing)s was removed.") % thing
    was, now = before or {}, after or {}
    changed = "; ".join(
        _("%(what)s from %(was)s to %(now)s")
        % {"what": _column(model, one), "was": _value(model, one, was.get(one)), "now": _value(model, one, now[one])}
        for one in sorted(now)
        if one not in was or was[one] != now[one]
    )
    return (_("%(thing)s was changed: %(changed)s.") if changed else _("%(thing)s was changed.")) % {
        **thing,
        "changed": changed,
    }


def _thing(model: type[models.Model] | None, table: str, row: int, name: str, known: dict[str, Any] | None) -> str:
    kind = table if model is None else _title(model) or str(model._meta.verbose_name)
    named = (str(known[column]) for column in NAMED_BY if known and known.get(column))
    name = name or next((one for one in named if one != NOT_KEPT), "")
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
        value = [f"{key}: {one}" for key, one in value.items()]
    if isinstance(value, list):
        return _short(", ".join(map(str, value)))
    if isinstance(field, models.CharField | models.TextField) and not field.choices:
        return _("“%(text)s”") % {"text": _short(str(value))}
    return _short(str(dict(field.flatchoices).get(value, value) if field else value))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
