"""What opened a site before it was restored opens it no longer: what was revoked since the backup would work again."""

from django.db import transaction
from django.utils import timezone

from annotation.models import Invitation, Recruitment
from campaigns.models import TeamLink
from foundation.models import ApiToken, OneTimeLink, Session


@transaction.atomic
def void_what_opens() -> str:
    """End all logins, revoke all tokens, void all links. Safe to repeat. Returns: a sentence that says so."""
    now = timezone.now()
    Session.objects.all().delete()
    tokens = ApiToken.objects.filter(revoked_at=None).update(revoked_at=now)
    links = OneTimeLink.objects.all().delete()[0]
    links += Invitation.objects.filter(withdrawn_at=None).update(withdrawn_at=now)
    links += Recruitment.objects.filter(closed_at=None).update(closed_at=now)
    links += TeamLink.objects.filter(withdrawn_at=None, used_at=None).update(withdrawn_at=now)
    return (
        "Logins, tokens and links of before work no longer, since some may have been withdrawn after the backup:"
        f" tokens revoked: {tokens:,}; links for passwords, invitations, recruiting and teams that are void: {links:,}."
    )
