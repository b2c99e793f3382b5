"""Adjudication: the lead's own grade of a discarded pair, apart from consensus (`batches/states.md`)."""

from typing import TypeVar

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.models import Adjudication, Batch, Pair, SpanRuling
from annotation.scale import scale_of
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
    pair = hold_pair(member, pair_id)
    if pair is None:
        raise Refused(gettext("There is no such pair in this collection."))
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
    scale = scale_of(member.collection)
    if grade not in scale.grades:
        expected = (
            gettext("Found the grade %(grade)s, expected 0 to %(top_grade)s.")
            if scale.step == 1
            else gettext("Found the grade %(grade)s, expected a multiple of %(step)s from 0 to %(top_grade)s.")
        )
        raise Refused(expected % {"grade": grade, "top_grade": scale.top, "step": scale.step})
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
    adjudication = withdraw_ruling(Adjudication, member, adjudication_id)
    if adjudication is None:
        raise Refused(gettext("There is no such adjudication in this collection."))
    return adjudication


AnyRuling = TypeVar("AnyRuling", Adjudication, SpanRuling)


def withdraw_ruling(kind: type[AnyRuling], member: Membership, ruling_id: int) -> AnyRuling | None:
    """Withdraw what a lead has decided about a pair: it is kept, with who withdrew it. None where there is no such."""
    meant = kind.objects.filter(pk=ruling_id, pair__batch__collection=member.collection_id)
    pair_id = meant.values_list("pair_id", flat=True).first()
    if pair_id is None or hold_pair(member, pair_id) is None:
        return None
    ruling = meant.get()
    if ruling.withdrawn_at is None:
        ruling.withdrawn_at, ruling.withdrawn_by = timezone.now(), member
        ruling.save(update_fields=["withdrawn_at", "withdrawn_by"])
    return ruling


def hold_pair(member: Membership, pair_id: int) -> Pair | None:
    """Fetch the pair with its batch locked, as before every change to a pair; None where the collection has it not."""
    held = (
        Batch.objects.select_for_update(of=("self",), no_key=True)
        .filter(pairs=pair_id, collection=member.collection_id)
        .first()
    )
    return None if held is None else Pair.objects.get(pk=pair_id)
