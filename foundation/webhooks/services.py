"""Webhooks made, stopped, started, removed; what was given up sent again."""

import base64
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.infra.sealed import seal
from foundation.models import Account, Collection, Webhook, WebhookEvent
from foundation.refused import Refused
from foundation.webhooks.addresses import addresses_of, read_address
from foundation.webhooks.kinds import KINDS, TEST
from foundation.webhooks.outbox import note_for, wake
from foundation.webhooks.sending import PREFIX

MOST = 20
"""Webhooks of a collection, or of the site."""


@dataclass(frozen=True, slots=True)
class MadeWebhook:
    """A new webhook, and its secret, which is shown this once."""

    row: Webhook
    secret: str


def make_webhook(*, account: Account, collection: Collection | None, address: str, kinds: Sequence[str]) -> MadeWebhook:
    """Make a webhook of a collection, or of the whole site with None; the caller has seen that the account may.

    Raises: Refused.
    """
    address = address.strip()
    try:
        addresses_of(read_address(address))
    except Refused as refusal:
        raise Refused(str(refusal), "address") from refusal
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds:
        raise Refused(_("Choose at least one of the events."), "kinds")
    if Webhook.objects.filter(collection=collection).count() >= MOST:
        raise Refused(_("There are %(most)s webhooks, which is the most. Remove one first.") % {"most": MOST})
    secret = PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()
    row = Webhook.objects.create(
        collection=collection,
        address=address,
        kinds=[kind for kind in KINDS if kind in kinds],
        secret=seal(secret),
        made_by=account,
    )
    return MadeWebhook(row, secret)


def stop_webhook(*, webhook: Webhook, problem: str = "") -> None:
    """Have it be told of nothing from now on, for a reason that its page shows. Repeating it changes nothing."""
    stop_webhooks(Webhook.objects.filter(pk=webhook.pk), problem=problem)


def stop_webhooks(webhooks: QuerySet[Webhook], *, problem: str) -> int:
    """Stop them; what they have yet to be told waits. Returns: how many were on."""
    return webhooks.filter(stopped_at=None).update(stopped_at=timezone.now(), problem=problem, begun=0)


def start_webhook(*, webhook: Webhook, account: Account) -> None:
    """Start it again, for this account, with what waited. Repeating it changes nothing."""
    started = Webhook.objects.filter(pk=webhook.pk, stopped_at__isnull=False).update(
        stopped_at=None, problem="", made_by=account, due_at=None, begun=0
    )
    if started:
        wake(webhook.pk)


@transaction.atomic
def remove_webhook(*, webhook: Webhook) -> None:
    """Remove it, with its events and its log. Repeating it changes nothing."""
    Webhook.objects.filter(pk=webhook.pk).delete()


@transaction.atomic
def test_webhook(*, webhook: Webhook) -> WebhookEvent:
    """Send it an event that says nothing. Raises: Refused for a stopped one."""
    if Webhook.objects.filter(pk=webhook.pk, stopped_at__isnull=False).exists():
        raise Refused(_("This webhook is stopped. Start it first."))
    collection = webhook.collection.name if webhook.collection is not None else None
    return note_for(webhook, TEST, collection=collection, data={})


def send_again(*, webhook: Webhook, event_id: int | None = None) -> int:
    """Have events that were given up sent again: one, or all. They come before what waits, as the older ones.

    Returns: how many.
    """
    rows = webhook.events.filter(state=WebhookEvent.State.DEAD)
    if event_id is not None:
        rows = rows.filter(pk=event_id)
    again = rows.update(state=WebhookEvent.State.WAITING, ended_at=None, since=None)
    if again:
        Webhook.objects.filter(pk=webhook.pk).update(due_at=None)
        wake(webhook.pk)
    return again
