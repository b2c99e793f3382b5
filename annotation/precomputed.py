"""Precomputed figures: pages read the newest stored result, a Celery task recomputes it.

A room registers its computations in `AppConfig.ready()`:

    computed.register("agreement", agreement_figures, stale_after=timedelta(minutes=30))

and its page asks `computed_or_ask(collection=..., name="agreement")`. What is made once for each of many things is
registered under one name and asked for with more behind a colon ("differences:3-4"), which the function gets too. What
is computed is of JSON's types, dates and dataclasses of these. A computation imports its heavy libraries when it is
called, so that a web process starts without.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, overload

from celery import shared_task
from django.db import transaction
from django.db.models import F, Func, IntegerField, JSONField, Q, QuerySet
from django.utils import timezone

from annotation.models import Computed, Judgment
from corpus.models import Description
from foundation.access.pages import FactsEncoder
from foundation.infra.jobs import JobProgress, ask, run_job
from foundation.models import Collection

PATIENCE = timedelta(minutes=10)
"""After this long without a result a task is presumed lost, and sent again."""


@dataclass(frozen=True, slots=True)
class Computation:
    """How a result is made (`compute`), how old it may grow (None: any age), and up to which size of a collection a
    page computes it itself instead of waiting for a task."""

    compute: Callable[..., Any]
    stale_after: timedelta | None
    at_once_below: int
    of_each: bool = False
    counts: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """A stored result: `value` None until there is one, `as_of` the time it reflects, `running` while recomputed."""

    name: str
    value: Any
    as_of: datetime | None
    took_seconds: float | None
    running: bool
    problem: str
    queued: bool = True
    """Whether the task could be sent: False while the task queue can't be reached."""
    progress: str = ""
    """How far the worker is, in words; empty where that isn't counted, or nothing is under way."""
    at_once: bool = False
    """Whether it was computed just now, since the collection is small."""


class StoredList(Sequence[Any]):
    """A list within a stored result, of which a page reads only what it shows: a slice is one SQL query.

    What is made anew meanwhile may be shorter than it said to be: a slice beyond its end is empty.
    """

    def __init__(self, row: int, key: str, length: int) -> None:
        self._row, self._key, self._length = row, key, length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, wanted: int) -> Any: ...
    @overload
    def __getitem__(self, wanted: slice) -> list[Any]: ...
    def __getitem__(self, wanted: int | slice) -> Any:
        if isinstance(wanted, int):
            wanted = range(self._length)[wanted]
            return self[wanted : wanted + 1][0]
        places = range(self._length)[wanted]
        if not places:
            return []
        first, last = min(places), max(places)
        path = f"'$.{self._key}[{first} to {last}]'"
        part = Func(F("value"), template=f"jsonb_path_query_array(%(expressions)s, {path})", output_field=JSONField())
        items = Computed.objects.filter(pk=self._row).values_list(part, flat=True).first() or []
        return items[:: places.step]


_registered: dict[str, Computation] = {}


def register(
    name: str,
    compute: Callable[..., Any],
    *,
    stale_after: timedelta | None = timedelta(minutes=10),
    at_once_below: int = 0,
    of_each: bool = False,
    counts: str = "",
) -> None:
    """Called by a room's AppConfig.ready().

    Args:
        name: at most 60 characters; the same name again replaces it.
        compute: reads the collection and returns the value; idempotent, changes nothing.
        stale_after: older results are shown, and made anew meanwhile; None: what rests on nothing that changes.
        at_once_below: in collections with fewer judgments, and fewer descriptions, the page computes it and needs no
            task.
        of_each: there is one result of each of many things: `compute(collection, which)`, where the name that is asked
            for is `name:which`.
        counts: what it counts while it reads, such as "texts": it is called as `compute(collection, progress=...)`, and
            calls that with how many more it has read.
    """
    _registered[name] = Computation(compute, stale_after, at_once_below, of_each, counts)


def names() -> list[str]:
    """Names of the computations over a whole collection."""
    return sorted(name for name, computation in _registered.items() if not computation.of_each)


def _find(name: str) -> Computation:
    """Raises: KeyError."""
    kind, colon, which = name.partition(":")
    computation = _registered[kind]
    if not computation.of_each and not colon:
        return computation
    if not computation.of_each or not which:
        raise KeyError(name)
    return replace(computation, compute=lambda collection, **more: computation.compute(collection, which, **more))


def computed_or_ask(*, collection: Collection, name: str, anew: bool = False, paged: str = "") -> Result:
    """The newest result; if there is none, or it is stale, a task is asked to compute it.

    Args:
        anew: ask for another however new this one is.
        paged: the key of a list that may be as long as the collection has pairs: it stays in the database, and a page
            reads what it shows of it (`StoredList`).
    Raises: KeyError if nothing of that name is registered.
    """
    computation = _find(name)
    now = timezone.now()
    if computation.at_once_below and is_small(collection, computation.at_once_below):
        clock = time.perf_counter()
        return Result(name, _value(computation, collection), now, time.perf_counter() - clock, False, "", at_once=True)
    rows = Computed.objects.defer("value") if paged else Computed.objects.all()
    row, _ = rows.get_or_create(collection=collection, name=name)
    oldest = now - computation.stale_after if computation.stale_after is not None else None
    if anew or row.as_of is None or (oldest is not None and row.as_of < oldest):
        _ask(row, now)
        row = rows.get(pk=row.pk)
    running = row.asked_at is not None and row.asked_at > now - PATIENCE
    queued = row.due_at is not None
    progress = f"{row.done:,} {computation.counts} read" if running and row.done and computation.counts else ""
    value = None if row.as_of is None else _stored_without(row.pk, paged) if paged else row.value
    return Result(name, value, row.as_of, row.took_seconds, running, row.problem, queued, progress)


def _stored_without(row: int, key: str) -> Any:
    """A stored result in which the list of this key is a `StoredList`."""
    others = Func(F("value"), template=f"%(expressions)s - '{key}'", output_field=JSONField())
    length = Func(F("value"), template=f"jsonb_array_length(%(expressions)s -> '{key}')", output_field=IntegerField())
    value, count = Computed.objects.values_list(others, length).get(pk=row)
    return None if value is None else {**value, key: StoredList(row, key, count)}


def refresh_computed(*, collection: Collection, name: str) -> bool:
    """Compute and keep a result. Returns whether it is kept: one that began to read later stays.

    Raises: KeyError; and whatever the computation raises, which is kept for the page to tell.
    """
    computation = _find(name)
    row, _ = Computed.objects.get_or_create(collection=collection, name=name)
    stored = Computed.objects.filter(pk=row.pk)
    stored.filter(asked_at=None).update(asked_at=timezone.now(), begun=0)
    stands = False

    def compute(row: Computed, progress: JobProgress) -> None:
        nonlocal stands
        began, clock = timezone.now(), time.perf_counter()
        if computation.counts:
            progress.note(done=0)
        # A fault of the database must not take along the transaction that the caller may be in.
        with transaction.atomic():
            value = _value(computation, collection, progress)
        older = Q(as_of__isnull=True) | Q(as_of__lte=began)
        took = round(time.perf_counter() - clock, 3)
        stands = bool(stored.filter(older).update(value=value, as_of=began, took_seconds=took))

    run_job(Computed, row.pk, compute, unexpected="{}")
    return stands


def _value(computation: Computation, collection: Collection, progress: JobProgress | None = None) -> Any:
    more = {"progress": progress.count} if progress is not None and computation.counts else {}
    return json.loads(json.dumps(computation.compute(collection, **more), cls=FactsEncoder, allow_nan=False))


def _ask(row: Computed, now: datetime) -> None:
    # Whoever sets the time asks; the others see that somebody did.
    lost = Q(asked_at__isnull=True) | Q(asked_at__lte=now - PATIENCE)
    if Computed.objects.filter(lost, pk=row.pk).update(asked_at=now, due_at=now):
        # Where the queue is away it waits here, and begins once that is back: the page says that it is being computed.
        transaction.on_commit(partial(ask, row))


def is_small(collection: Collection, number: int) -> bool:
    """Whether the collection has so few descriptions and judgments that figures are computed in the request."""
    rows: tuple[QuerySet[Any], ...] = (
        Description.objects.filter(collection=collection),
        Judgment.objects.filter(pair__batch__collection=collection),
    )
    return all(kind.order_by().values("pk")[:number].count() < number for kind in rows)


@shared_task(name="annotation.tasks.refresh")
def refresh(collection_id: int, name: str) -> bool:
    """Celery task: recompute a stored result. Returns whether it is the newest."""
    asked = Computed.to_do().select_related("collection").filter(collection=collection_id, name=name).first()
    return asked is not None and refresh_computed(collection=asked.collection, name=name)
