"""Webhooks: addresses that are told of events, what each has yet to be told, and every try."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy

from foundation.models.accounts import Account
from foundation.models.collections import Collection
from foundation.models.jobs import Queued


class Webhook(Queued):
    """An address that is told of events, one after the other. A worker tells it, until it has answered."""

    TASK = "foundation.tasks.deliver_webhook"

    collection = models.ForeignKey(
        Collection,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="webhooks",
        help_text="Empty: the whole site's.",
    )
    address = models.CharField(max_length=500)
    kinds = models.JSONField(default=list, help_text="Names in foundation/webhooks/kinds.py.")
    secret = models.TextField(help_text="Signs what is sent. Encrypted (foundation.infra.sealed).")
    made_by = models.ForeignKey(
        Account, models.SET_NULL, null=True, blank=True, related_name="+", help_text="Who made it or started it last."
    )
    made_at = models.DateTimeField(default=timezone.now)
    stopped_at = models.DateTimeField(null=True, blank=True, help_text="Since then it is told of nothing.")
    alerts_told = models.JSONField(default=list, help_text="Alerts of people that stand and were told: worker, kind.")

    class Meta:
        indexes = [models.Index(fields=["collection"], condition=Q(stopped_at=None), name="webhook_that_is_told")]

    def __str__(self) -> str:
        return f"webhook {self.pk}"

    @classmethod
    def to_do(cls) -> models.QuerySet[Webhook]:
        waiting = WebhookEvent.objects.filter(webhook=OuterRef("pk"), state=WebhookEvent.State.WAITING)
        return cls.objects.filter(Exists(waiting), stopped_at=None)

    @property
    def finished(self) -> bool:
        return False

    def end(self, problem: str = "") -> None:
        """Have it begin afresh: what waits stays, and the sweep sends it to a worker again."""
        Webhook.objects.filter(pk=self.pk).update(begun=0)


class WebhookEvent(models.Model):
    """An event that a webhook is told of, stored in the transaction in which it happened; `body` is what is sent."""

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("waits")
        DELIVERED = "delivered", gettext_lazy("delivered")
        DEAD = "dead", gettext_lazy("given up")

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="events")
    public_id = models.UUIDField(default=uuid.uuid4, help_text="The same at every try, by which a receiver knows it.")
    kind = models.CharField(max_length=30)
    body = models.TextField()
    made_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    tries = models.PositiveIntegerField(default=0, help_text="Begun ones, counted before each.")
    since = models.DateTimeField(null=True, blank=True, help_text="First try since it was to be sent (again).")
    ended_at = models.DateTimeField(null=True, blank=True, help_text="When it was delivered, or given up.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=["waiting", "delivered", "dead"]), name="webhook_event_state"),
            models.CheckConstraint(
                condition=Q(state="waiting", ended_at=None) | (~Q(state="waiting") & Q(ended_at__isnull=False)),
                name="webhook_event_ends_once",
            ),
        ]
        indexes = [
            models.Index(fields=["webhook", "id"], condition=Q(state="waiting"), name="webhook_event_that_waits"),
            models.Index(fields=["webhook", "-id"], name="webhook_event_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id}"


class WebhookTry(models.Model):
    """One try to tell an address of an event, and what came of it: a line of the delivery log."""

    event = models.ForeignKey(WebhookEvent, models.CASCADE, related_name="log")
    at = models.DateTimeField(default=timezone.now)
    seconds = models.FloatField()
    answer = models.PositiveSmallIntegerField(null=True, blank=True, help_text="The HTTP status; empty: none came.")
    problem = models.CharField(max_length=300, blank=True, help_text="Why it doesn't count as told.")

    def __str__(self) -> str:
        return self.problem or str(self.answer)
