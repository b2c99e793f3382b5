"""The trail as its page, its files and the API tell it."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from foundation.audit.sentences import names_of, sentence
from foundation.models import Account, AuditEntry, Collection

AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Change:
    """An entry. `account`: the account's name, None where nobody was logged in or the account is gone."""

    entry: int
    at: datetime
    account: str | None
    via: str
    asked: str
    address: str
    request: str
    token: int | None
    table: str
    operation: str
    row: int | None
    rows: int
    before: dict[str, Any] | None
    after: dict[str, Any] | None

    @property
    def before_text(self) -> str:
        return as_text(self.before)

    @property
    def after_text(self) -> str:
        return as_text(self.after)


COLUMNS = tuple(field.name for field in fields(Change))


def as_text(values: dict[str, Any] | None) -> str:
    """The columns as JSON, "" where there are none."""
    return "" if values is None else json.dumps(values, ensure_ascii=False, sort_keys=True)


def trail(collection: Collection | None) -> QuerySet[AuditEntry]:
    """The entries of a collection, or those that are of none: accounts, tokens, servers."""
    return AuditEntry.objects.filter(collection=collection.pk if collection else None)


def changes(entries: Iterable[AuditEntry]) -> list[Change]:
    """Entries as they are told. One SQL query for the names."""
    rows = list(entries)
    names = dict(
        Account.objects.filter(pk__in={row.account for row in rows if row.account}).values_list("pk", "username")
    )
    own = [name for name in COLUMNS if name not in ("entry", "account")]
    return [
        Change(entry=row.pk, account=names.get(row.account or 0), **{name: getattr(row, name) for name in own})
        for row in rows
    ]


def in_sentences(entries: Iterable[AuditEntry]) -> list[tuple[Change, str]]:
    """Each entry as it is told, with its sentence."""
    rows = list(entries)
    names = names_of((row.table, row.row) for row in rows)
    sentences = [sentence(row, names.get((row.table, row.row or 0), "")) for row in rows]
    return list(zip(changes(rows), sentences, strict=True))


def every_change(collection: Collection | None) -> Iterator[Change]:
    """The whole trail, the oldest first, in bounded memory."""
    after = 0
    while rows := list(trail(collection).filter(pk__gt=after).order_by("pk")[:AT_ONCE]):
        yield from changes(rows)
        after = rows[-1].pk
