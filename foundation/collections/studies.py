"""Keep a study's members in step with those of its collection."""

from django.db import transaction

from foundation.collections.leave_hooks import stop_judging
from foundation.models import Collection, Membership, Purpose
from foundation.refused import Refused

_OF_STUDIES: dict[str, str] = {
    Membership.Status.APPLICANT: Membership.Status.PAUSED,
    Membership.Status.DECLINED: Membership.Status.BARRED,
}
"""A study has no training: applicants of the collection are paused in it."""


def refuse_study(collection: Collection, what: str) -> None:
    """Refuse a study what only a collection can do. `what` follows its name: "can't be released".

    Raises: Refused.
    """
    if collection.is_study:
        kind = Purpose(collection.purpose).label
        raise Refused(f"{collection.name} {what}: it is a {kind} of another collection, and never counts")


@transaction.atomic
def carry_to_studies(member: Membership) -> None:
    """Update a member's place in the collection's studies after it changed in the collection.

    Who leads the collection leads its studies; who is no longer at work in it is at work in none of them. Whoever is
    new gets a place in the studies that aren't put away, under the same worker id. Repeating it changes nothing.
    """
    member = Membership.objects.get(pk=member.pk)
    for study in Collection.objects.filter(study_of=member.collection_id).order_by("pk"):
        place_in_study(member, study)


def place_in_study(member: Membership, study: Collection) -> None:
    """Make or change one member's place in one study."""
    place = Membership.objects.filter(collection=study, worker=member.worker).first()
    if place is None:
        at_work = member.leads or member.status == Membership.Status.ADMITTED
        if member.account_id is None or not at_work or member.recruited or study.archived_at is not None:
            return
        place = Membership(collection=study, worker=member.worker, guideline_confirmed=member.guideline_confirmed)
    place.account_id = member.account_id
    place.role, place.has_led = member.role, member.has_led
    place.status = _OF_STUDIES.get(member.status, member.status)
    place.languages, place.pay_per_hour = member.languages, member.pay_per_hour
    place.avoids, place.age = member.avoids, member.age
    place.consent_confirmed, place.consent_withdrawn_at = member.consent_confirmed, member.consent_withdrawn_at
    place.save()
    if place.leads or place.status != Membership.Status.ADMITTED or place.consent_withdrawn_at is not None:
        stop_judging(place)
