"""Webhooks told of new alerts about people, once an hour: an alert that stands is told once, until it has gone."""

from celery import shared_task
from django.db import transaction

from annotation.models import Computed
from annotation.people.people_figures import NAME, alerts_by_person
from foundation.models import Collection, Membership, Webhook
from foundation.webhooks.kinds import PERSON_ALERT
from foundation.webhooks.outbox import note_for


@shared_task(name="annotation.tasks.note_alerts")
def note_alerts() -> int:
    """Note what is new since the last look, for every webhook that wants it. Returns how many events."""
    hooks = Webhook.objects.filter(stopped_at=None, kinds__contains=[PERSON_ALERT]).order_by("pk")
    return sum(_note_of(hook) for hook in hooks)


def _note_of(hook: Webhook) -> int:
    collections = Collection.objects.filter(archived_at=None, study_of=None)
    if hook.collection_id is not None:
        collections = collections.filter(pk=hook.collection_id)
    standing = {alert: name for collection in collections for alert, name in _alerts(collection).items()}
    with transaction.atomic():
        told = Webhook.objects.select_for_update(no_key=True).get(pk=hook.pk).alerts_told
        new = [alert for alert in standing if list(alert) not in told]
        for alert in new:
            _, worker, kind = alert
            note_for(hook, PERSON_ALERT, collection=standing[alert], data={"worker": worker, "alert": kind})
        Webhook.objects.filter(pk=hook.pk).update(alerts_told=sorted(list(alert) for alert in standing))
    return len(new)


def _alerts(collection: Collection) -> dict[tuple[int, str, str], str]:
    """The standing alerts, as last computed: collection, worker id and kind of each, and the collection's name."""
    computed = Computed.objects.filter(collection=collection, name=NAME).first()
    by_person = alerts_by_person(collection, computed.value if computed else None)
    workers = dict(Membership.objects.filter(pk__in=by_person).values_list("pk", "worker"))
    return {
        (collection.pk, workers[member], alert.kind): collection.name
        for member, alerts in by_person.items()
        if member in workers
        for alert in alerts
    }
