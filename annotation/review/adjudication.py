"""Adjudication: the lead's own grade of a discarded pair, apart from consensus (`batches/states.md`)."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.models import Adjudication, Batch, Pair
from foundation.models import Membership
from foundation.refused import Refused

LONGEST_REASON = 2000


@transaction.atomic
def adjudicate_pair(*, member: Membership, pair_id: int, grade: int, reason: str) -> Adjudication:
    """Grade a discarded pair, with the reason. Repeating it changes nothing.

    Judgments and consensus stay as they are; from now on its annotators can't take their judgments of it back.

    Raises: Refused if the pair isn't discarded, another adjudication stands, or grade or reason won't do.
    """
    reason = reason.strip()
    pair = _held(member, pair_id)
    standing = pair.adjudications.filter(withdrawn_at__isnull=True).select_related("decided_by").first()
    if standing is not None:
        if (standing.grade, standing.reason, standing.decided_by_id) == (grade, reason, member.pk):
            return standing
        raise Refused(
            gettext("%(worker)s has adjudicated this pair already: %(grade)s. Withdraw that first.")
            % {"worker": standing.decided_by.worker, "grade": standing.grade}
        )
    if pair.status != Pair.Status.DISCARDED:
        raise Refused(
            gettext("Only discarded pairs are adjudicated; this one is %(status)s.")
            % {"status": pair.get_status_display()}
        )
    if not 0 <= grade <= member.collection.top_grade:
        raise Refused(
            gettext("Found the grade %(grade)s, expected 0 to %(top_grade)s.")
            % {"grade": grade, "top_grade": member.collection.top_grade}
        )
    if not reason:
        raise Refused(gettext("Found no reason; say in a sentence what the grade is based on."))
    if len(reason) > LONGEST_REASON:
        raise Refused(
            gettext("Found a reason of %(count)s characters, expected at most %(value)s.")
            % {"count": f"{len(reason):,}", "value": f"{LONGEST_REASON:,}"}
        )
    return Adjudication.objects.create(pair=pair, grade=grade, reason=reason, decided_by=member)


@transaction.atomic
def withdraw_adjudication(*, member: Membership, adjudication_id: int) -> Adjudication:
    """Withdraw an adjudication: it is kept, with who withdrew it. Repeating it changes nothing.

    Raises: Refused if there is no such adjudication in the member's collection.
    """
    found = Adjudication.objects.filter(pk=adjudication_id, pair__batch__collection=member.collection_id)
    pair_id = found.values_list("pair_id", flat=True).first()
    if pair_id is None:
        raise Refused(gettext("There is no such adjudication in this collection."))
    _held(member, pair_id)
    adjudication = found.get()
    if adjudication.withdrawn_at is None:
        adjudication.withdrawn_at, adjudication.withdrawn_by = timezone.now(), member
        adjudication.save(update_fields=["withdrawn_at", "withdrawn_by"])
    return adjudication


def _held(member: Membership, pair_id: int) -> Pair:
    pair = hold_pair(member, pair_id)
    if pair is None:
        raise Refused(gettext("There is no such pair in this collection."))
    return pair


def hold_pair(member: Membership, pair_id: int) -> Pair | None:
    """Fetch the pair with its batch locked, as before every change to a pair; None where the collection has it not."""
    held = (
        Batch.objects.select_for_update(of=("self",), no_key=True)
        .filter(pairs=pair_id, collection=member.collection_id)
        .first()
    )
    return None if held is None else Pair.objects.get(pk=pair_id)
