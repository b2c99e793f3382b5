"""A worker tells a webhook its events, one after the other, until each was answered or is given up.

The rows are the truth: a try is counted before it begins, and an event is marked as delivered when the answer is there.
If the worker dies between the two, the event is sent again, with the same id and a higher attempt.
"""

import logging
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from foundation.infra.jobs import job_task
from foundation.infra.sealed import SealBroken, unseal
from foundation.models import Webhook, WebhookEvent, WebhookTry
from foundation.webhooks.rights import may_have
from foundation.webhooks.sending import SendingResult, post
from foundation.webhooks.services import stop_webhook

AT_ONCE = 50
"""Events of one turn, so that one webhook doesn't keep a worker from the others."""
FIRST_PAUSE, LONGEST_PAUSE = 10.0, 1800.0
"""Seconds until an event is tried again; the pause doubles each time."""
GIVEN_UP_AFTER = timedelta(hours=24)
NOT_ALLOWED = "Whoever made it no longer leads here. A lead can start it again."
SEALED = "Its secret can't be read, because QREELS_SECRET_KEY has changed. Remove it and make another."

log = logging.getLogger(__name__)


@job_task(Webhook)
def deliver_webhook(webhook: Webhook, progress: Any) -> float | None:
    """Tell a webhook what it has yet to be told. Safe to repeat, and to run twice at once: only one run does it.

    Returns: seconds until it goes on; None when nothing waits.
    """
    if not may_have(webhook):
        _stop(webhook, NOT_ALLOWED)
        return None
    try:
        secret = unseal(webhook.secret)
    except SealBroken:
        _stop(webhook, SEALED)
        return None
    for _ in range(AT_ONCE):
        progress.note()
        event = webhook.events.filter(state=WebhookEvent.State.WAITING).order_by("pk").first()
        if event is None or not Webhook.objects.filter(pk=webhook.pk, stopped_at=None).exists():
            return None
        if not _tell(webhook, event, secret):
            return float(min(FIRST_PAUSE * 2 ** (event.tries - 1), LONGEST_PAUSE))
    return 0.0


def _stop(webhook: Webhook, problem: str) -> None:
    stop_webhook(webhook=webhook, problem=problem)
    log.warning("webhook %s is stopped: %s", webhook.pk, problem)


def _tell(webhook: Webhook, event: WebhookEvent, secret: str) -> bool:
    """Try an event once. Returns whether the next one may follow: it was delivered, or is given up."""
    event.tries, event.since = event.tries + 1, event.since or timezone.now()
    event.save(update_fields=["tries", "since"])
    answer = post(
        webhook.address,
        secret=secret,
        number=str(event.public_id),
        kind=event.kind,
        attempt=event.tries,
        body=event.body,
    )
    return _note(event, answer)


@transaction.atomic
def _note(event: WebhookEvent, answer: SendingResult) -> bool:
    WebhookTry.objects.create(event=event, seconds=answer.seconds, answer=answer.status, problem=answer.problem)
    now = timezone.now()
    if not answer.problem:
        event.state, event.ended_at = WebhookEvent.State.DELIVERED, now
    elif event.since is not None and now - event.since > GIVEN_UP_AFTER:
        event.state, event.ended_at = WebhookEvent.State.DEAD, now
        log.warning("webhook %s: event %s is given up: %s", event.webhook_id, event.public_id, answer.problem)
    event.save(update_fields=["state", "ended_at"])
    return event.ended_at is not None
