"""What the page of webhooks shows."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Prefetch, Q, QuerySet

from foundation.models import Collection, Webhook, WebhookEvent, WebhookTry

EVENTS, TRIES = 50, 5
"""Newest events of the log, and newest tries of each, that are shown."""


@dataclass(frozen=True, slots=True)
class HookRow:
    """A webhook as it is shown. `state` is "on" or "stopped"; `pauses_until` while it waits after a try that failed."""

    id: int
    address: str
    kinds: list[str]
    made_by: str
    made_at: datetime
    state: str
    problem: str
    waiting: int
    delivered: int
    given_up: int
    pauses_until: datetime | None


def hooks_of(collection: Collection | None) -> QuerySet[Webhook]:
    """The webhooks of a collection; with None those of the whole site."""
    return Webhook.objects.filter(collection=collection)


def hook_rows(collection: Collection | None) -> list[HookRow]:
    """The webhooks, the oldest first."""
    hooks = hooks_of(collection).select_related("made_by").order_by("pk")
    hooks = hooks.annotate(waiting=_count("waiting"), delivered=_count("delivered"), dead=_count("dead"))
    return [
        HookRow(
            id=hook.pk,
            address=hook.address,
            kinds=list(hook.kinds),
            made_by=hook.made_by.username if hook.made_by is not None else "",
            made_at=hook.made_at,
            state="stopped" if hook.stopped_at else "on",
            problem=hook.problem,
            waiting=hook.waiting,
            delivered=hook.delivered,
            given_up=hook.dead,
            pauses_until=hook.due_at if hook.waiting and not hook.stopped_at else None,
        )
        for hook in hooks
    ]


def _count(state: str) -> Count:
    return Count("events", filter=Q(events__state=state))


def newest_events(collection: Collection | None) -> list[tuple[WebhookEvent, list[WebhookTry]]]:
    """The newest EVENTS events of all of these webhooks, the newest first, each with its newest tries."""
    tries = Prefetch("log", WebhookTry.objects.order_by("-pk")[:TRIES], to_attr="newest")
    events = WebhookEvent.objects.filter(webhook__in=hooks_of(collection)).prefetch_related(tries).order_by("-pk")
    return [(event, event.newest) for event in events[:EVENTS]]
