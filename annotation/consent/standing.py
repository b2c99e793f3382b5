"""Confirm the consent text, or withdraw: what follows for seats, judgments and answers to the survey."""

from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from annotation.assignment.seat_sql import lock_member
from annotation.batches.missing_clips import UNDECIDED
from annotation.consent.texts import current_consent
from annotation.judging.judgments import take_back_last
from annotation.models import ConsentAct, ConsentText, OnWithdrawal, SurveyAnswer, WorkClock
from foundation.collections.leave_hooks import stop_judging
from foundation.collections.studies import carry_to_studies
from foundation.models import Collection, Membership
from foundation.refused import Refused


def refuse_other_version(collection: Collection, version: int | None) -> ConsentText | None:
    """The text of that version, which has to be the newest; None where there is none to confirm. Raises: Refused."""
    newest = current_consent(collection)
    if newest is not None and version is None:
        raise Refused(_("Read the consent text and confirm it to take part."), "consent")
    if newest is not None and version != newest.version:
        raise Refused(_("The consent text has changed meanwhile. Read the new version, then confirm it."), "consent")
    return newest


@transaction.atomic
def confirm_consent(*, member: Membership, version: int) -> None:
    """Record that a member agrees to the newest version. Repeating it changes nothing.

    Raises: Refused if another version is the newest, or there is none.
    """
    lock_member(member)
    text = refuse_other_version(member.collection, version)
    if text is None:
        raise Refused(_("This collection has no consent text."), "consent")
    own = Membership.objects.filter(pk=member.pk)
    if own.exclude(consent_confirmed=version, consent_withdrawn_at=None).update(
        consent_confirmed=version, consent_withdrawn_at=None
    ):
        kind = ConsentAct.Kind.CONFIRMED
        ConsentAct.objects.create(annotator=member, kind=kind, version=version, digest=text.digest)
        carry_to_studies(member)
    member.consent_confirmed, member.consent_withdrawn_at = version, None


def withdraw_consent(*, member: Membership) -> int:
    """Withdraw: no more work here and in studies, seats are free, answers to the survey go.

    What was judged stays, or is taken back where that is still possible, as the text that held says: one by one, each
    with its batch locked, once nothing more can come in. Repeating it changes nothing, or goes on where it broke off.

    Returns: how many judgments were taken back.
    Raises: Refused where there is no consent text.
    """
    own, text = _mark_withdrawn(member)
    member.consent_confirmed, member.consent_withdrawn_at = 0, own.consent_withdrawn_at
    return _take_back_undecided(own) if text.on_withdrawal == OnWithdrawal.UNDECIDED else 0


@transaction.atomic
def _mark_withdrawn(member: Membership) -> tuple[Membership, ConsentText]:
    now = lock_member(member)
    own = Membership.objects.select_related("collection").get(pk=member.pk)
    text = held_text(own)
    if text is None:
        raise Refused(_("This collection has no consent text."))
    if own.consent_withdrawn_at is not None:
        return own, text
    # A judgment that is being given this very moment looks again, and hears of it.
    WorkClock.objects.filter(account=own.account_id).update(until=F("until") + timedelta(microseconds=1))
    ConsentAct.objects.create(
        annotator=own,
        kind=ConsentAct.Kind.WITHDRAWN,
        version=own.consent_confirmed,
        digest=text.digest if own.consent_confirmed else "",
    )
    SurveyAnswer.objects.filter(annotator=own).delete()
    own.consent_confirmed, own.consent_withdrawn_at = 0, now
    own.save(update_fields=["consent_confirmed", "consent_withdrawn_at"])
    stop_judging(own)
    carry_to_studies(own)
    return own, text


def held_text(member: Membership) -> ConsentText | None:
    """The text whose words on withdrawal hold for the member: the one that they confirmed last, else the newest; None
    where the collection has none."""
    if not member.collection.consent_version:
        return None
    last = member.consent_acts.order_by("-pk").values_list("version", flat=True).first() or 0
    held = member.collection.consent_texts.filter(version=member.consent_confirmed or last).first()
    return held or current_consent(member.collection)


def _take_back_undecided(member: Membership) -> int:
    """Take back judgments of undecided clips, where nobody else judged the clip since. Returns how many."""
    undecided = member.judgments.filter(counted=True, pair__status__in=UNDECIDED)
    taken_back = 0
    for key in list(undecided.order_by("-pk").values_list("key", flat=True)):
        try:
            with transaction.atomic():
                taken_back += not take_back_last(member=member, key=key).counted
                # What is taken back comes again to whoever gave it: not here.
                stop_judging(member)
        except Refused:
            continue
    return taken_back
