"""What annotators are told by mail of a new consent text."""

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import ConsentText
from foundation.mail.kinds import Said, register
from foundation.mail.outbox import tell
from foundation.models import Collection, MailItem, Membership

CONSENT = "annotation.consent"
Status = Membership.Status


def who_confirms(collection: Collection) -> QuerySet[Membership, int | None]:
    """The accounts of whoever judges or trains here, and hasn't withdrawn their consent."""
    people = collection.memberships.filter(
        role=Membership.Role.ANNOTATOR,
        status__in=[Status.ADMITTED, Status.PAUSED, Status.APPLICANT],
        consent_withdrawn_at=None,
    )
    return people.values_list("account_id", flat=True)


def consent_published(published: ConsentText) -> None:
    """Tell whoever judges or trains here."""
    tell(CONSENT, who_confirms(published.collection), collection=published.collection)


def says_consent(item: MailItem) -> Said | None:
    """That there is a text to confirm, unless the person has confirmed it or withdrawn."""
    member = Membership.objects.filter(account=item.account, collection=item.collection).first()
    if member is None or item.collection is None or member.leads or member.agrees or member.consent_withdrawn_at:
        return None
    text = _("Read it, and confirm it before you go on, or withdraw there.")
    return Said(_("There is a new consent text"), text, reverse("consent", args=[item.collection.name]))


def register_mails() -> None:
    """Called when Django starts."""
    register(CONSENT, "guideline", says_consent)
