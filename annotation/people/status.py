"""An annotator's status: pause, bar, admit again, exam again, each with the lead's reason."""

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from annotation.assignment.seat_sql import lock_member
from annotation.models import AlertDismissal, ExamSitting, Seat, StatusChange
from annotation.people.alerts import NAMES
from foundation.collections.studies import carry_to_studies
from foundation.mail.membership_mails import place_changed
from foundation.models import Membership
from foundation.refused import Refused

Status = Membership.Status


@dataclass(frozen=True, slots=True)
class StatusAction:
    """A change of status that a lead can make: its button's label, allowed statuses before, status after."""

    word: str | Promise
    allowed_from: frozenset[str]
    to: str


STEPS = {
    "pause": StatusAction(gettext_lazy("Pause"), frozenset({Status.ADMITTED}), Status.PAUSED),
    "admit": StatusAction(gettext_lazy("Admit again"), frozenset({Status.PAUSED, Status.BARRED}), Status.ADMITTED),
    "requalify": StatusAction(
        gettext_lazy("Exam again"),
        frozenset({Status.ADMITTED, Status.PAUSED, Status.BARRED, Status.DECLINED}),
        Status.APPLICANT,
    ),
    "bar": StatusAction(
        gettext_lazy("Bar"),
        frozenset({Status.ADMITTED, Status.PAUSED, Status.APPLICANT, Status.DECLINED}),
        Status.BARRED,
    ),
}
TOWARDS_JUDGING = frozenset({"admit", "requalify"})


def steps_for(member: Membership) -> list[tuple[str, StatusAction]]:
    """The steps possible for this person now; former leads have seen grades, so none lets them judge."""
    return [
        (name, step)
        for name, step in STEPS.items()
        if member.status in step.allowed_from and not (member.has_led and name in TOWARDS_JUDGING)
    ]


def hold_annotator(lead: Membership, member_id: int) -> Membership:
    """An annotator of the lead's collection, locked: the person first, as everywhere, then the row.

    Raises: Refused for nobody who judges here.
    """
    annotators = Membership.objects.filter(pk=member_id, collection=lead.collection_id, role=Membership.Role.ANNOTATOR)
    member = annotators.first()
    if member is None:
        raise Refused(gettext("There is no such annotator in this collection."))
    lock_member(member)
    return annotators.select_for_update(of=("self",), no_key=True).get()


@transaction.atomic
def change_standing(*, lead: Membership, member_id: int, step: str, reason: str) -> StatusChange | None:
    """Pause, bar, admit again or send to the exam again. Returns None if the person has that status already.

    Whoever isn't to judge loses their seats at once, so that others have the places; what a paused person had at
    hand may still come in. Who has to sit the exam again sits it from the beginning; the earlier answers are kept.
    The collection's studies follow.

    Raises: Refused.
    """
    reason = reason.strip()
    if step not in STEPS:
        raise Refused(
            gettext("found the step %(step)s, expected one of %(value)s")
            % {"step": repr(step), "value": ", ".join(STEPS)}
        )
    if not reason:
        raise Refused(gettext("Give a reason: it is recorded with the decision."))
    member = hold_annotator(lead, member_id)
    action = STEPS[step]
    if member.status == action.to:
        return None
    if member.has_led and step in TOWARDS_JUDGING:
        raise Refused(
            gettext("%(worker)s has led here and seen captions and grades, so they can't judge here.")
            % {"worker": member.worker}
        )
    if member.status not in action.allowed_from:
        raise Refused(
            gettext("“%(step)s” isn't possible: %(worker)s is %(status)s.")
            % {"step": action.word, "worker": member.worker, "status": member.get_status_display()}
        )
    now = timezone.now()
    if action.to != Status.ADMITTED:
        Seat.objects.filter(annotator=member, ended_at=None).update(ended_at=now)
    if step == "requalify":
        ExamSitting.objects.filter(applicant=member, set_aside_at=None).update(set_aside_at=now)
    change = StatusChange.objects.create(
        member=member, before=member.status, after=action.to, reason=reason[:2000], changed_by=lead
    )
    Membership.objects.filter(pk=member.pk).update(status=action.to)
    carry_to_studies(member)
    place_changed(member)
    return change


@transaction.atomic
def dismiss_alert(*, lead: Membership, member_id: int, kind: str, told: str, note: str) -> AlertDismissal:
    """Dismiss an alert, with a note on what the lead found.

    Raises: Refused.
    """
    note = note.strip()
    if kind not in NAMES:
        raise Refused(
            gettext("found the alert %(kind)s, expected one of %(value)s")
            % {"kind": repr(kind), "value": ", ".join(NAMES)}
        )
    if not note:
        raise Refused(gettext("Say what you found: the note is recorded with the alert."))
    member = Membership.objects.filter(pk=member_id, collection=lead.collection_id).first()
    if member is None:
        raise Refused(gettext("There is no such person in this collection."))
    return AlertDismissal.objects.create(
        member=member, kind=kind, told=told.strip()[:500], note=note[:2000], dismissed_by=lead
    )
