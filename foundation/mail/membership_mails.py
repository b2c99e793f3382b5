"""What is mailed about somebody's place in a collection: always as it is when the mail is sent."""

from django.urls import reverse
from django.utils.translation import gettext as _

from foundation.access.guards import NO_WORK, PAUSED
from foundation.mail.kinds import Said, register
from foundation.mail.outbox import tell
from foundation.models import MailItem, Membership

PLACE = "foundation.place"


def place_changed(member: Membership) -> None:
    """Have the person told of their role or standing, which was changed in the caller's transaction."""
    if not member.collection.is_study:
        tell(PLACE, [member.account_id], collection=member.collection)


def says_place(item: MailItem) -> Said | None:
    """The person's role, or an annotator's standing."""
    member = Membership.objects.filter(account=item.account, collection=item.collection).first()
    if member is None or item.collection is None:
        return None
    page = reverse("home")
    if member.leads:
        text = _("You now lead this collection: you prepare it, review what is judged, and decide.")
    elif member.status == Membership.Status.ADMITTED:
        text, page = _("You are admitted: you can judge here."), reverse("judge", args=[item.collection.name])
    elif member.status == Membership.Status.PAUSED:
        text = str(PAUSED)
    else:
        text = str(NO_WORK[member.status])
        if member.status == Membership.Status.APPLICANT:
            page = reverse("qualification", args=[item.collection.name])
    return Said(_("Your place in this collection"), text, page)


def register_mails() -> None:
    """Called when Django starts."""
    register(PLACE, "standing", says_place)
