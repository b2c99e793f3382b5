"""Events for webhooks, stored in the transaction in which they happen, so that none is lost and none is false."""

import json
import uuid
from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from foundation.access.site_address import usual_address
from foundation.infra.jobs import ask
from foundation.models import Collection, Webhook, WebhookEvent
from foundation.models.jobs import Job
from foundation.webhooks.kinds import JOB_ENDED


def note(kind: str, *, collection: Collection | None, data: Mapping[str, Any]) -> int:
    """Note an event for every webhook that wants it: those of the collection, of the one it is a study of, of the site.

    Args:
        kind: a name of `kinds.py`.
        collection: where it happened; None for what belongs to none.
        data: of JSON's types; what leads may know. Annotators have no webhooks.

    Returns: how many webhooks will be told.
    """
    of = Q(collection=None)
    if collection is not None:
        of |= Q(collection__in=[collection.pk, collection.study_of_id])
    hooks = [hook for hook in Webhook.objects.filter(of, stopped_at=None).order_by("pk") if kind in hook.kinds]
    for hook in hooks:
        note_for(hook, kind, collection=collection.name if collection else None, data=data)
    return len(hooks)


def note_for(hook: Webhook, kind: str, *, collection: str | None, data: Mapping[str, Any]) -> WebhookEvent:
    """Note an event for one webhook, and have a worker tell it once the transaction has ended."""
    number, now = uuid.uuid4(), timezone.now()
    body = {
        "id": str(number),
        "type": kind,
        "at": now.isoformat(timespec="milliseconds"),
        "site": usual_address(),
        "collection": collection,
        "data": data,
    }
    text = json.dumps(body, ensure_ascii=False)
    event = WebhookEvent.objects.create(webhook=hook, public_id=number, kind=kind, body=text, made_at=now)
    transaction.on_commit(partial(wake, hook.pk))
    return event


def wake(hook_id: int) -> None:
    """Send a webhook to a worker, unless it pauses after a try that failed: its events have an order."""
    hook = Webhook.to_do().filter(pk=hook_id).first()
    if hook is not None and (hook.due_at is None or hook.due_at <= timezone.now()):
        ask(hook)


def note_job(job: Job) -> None:
    """Note that a job has ended. Called in the transaction in which it does."""
    owner: Any = job
    for part in job.COLLECTION.split("__") if job.COLLECTION else ():
        owner = getattr(owner, part)
    collection = owner if isinstance(owner, Collection) else None
    data = {"kind": job.KIND, "title": job.TITLE, "job": job.pk, "state": str(job.state), "problem": job.problem}
    note(JOB_ENDED, collection=collection, data=data)
