"""What the page of webhooks shows."""

from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet

from foundation.models import Collection, Webhook, WebhookEvent, WebhookTry

EVENTS, TRIES = 50, 5
"""Newest events of the log, and newest tries of each, that are shown."""


def hooks_of(collection: Collection | None) -> QuerySet[Webhook]:
    """The webhooks of a collection; with None those of the whole site."""
    return Webhook.objects.filter(collection=collection)


def hook_rows(collection: Collection | None) -> QuerySet[Any]:
    """The webhooks, the oldest first, each with how many events are `waiting`, `delivered` and `given_up`."""
    hooks = hooks_of(collection).select_related("made_by").order_by("pk")
    return hooks.annotate(waiting=_count("waiting"), delivered=_count("delivered"), given_up=_count("dead"))


def _count(state: str) -> Count:
    return Count("events", filter=Q(events__state=state))


def newest_events(collection: Collection | None) -> list[tuple[WebhookEvent, list[WebhookTry]]]:
    """The newest EVENTS events of all of these webhooks, the newest first, each with its newest tries."""
    tries = Prefetch("log", WebhookTry.objects.order_by("-pk")[:TRIES], to_attr="newest")
    events = WebhookEvent.objects.filter(webhook__in=hooks_of(collection)).prefetch_related(tries).order_by("-pk")
    return [(event, event.newest) for event in events[:EVENTS]]
