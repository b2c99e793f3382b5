"""Invitations: created, withdrawn, accepted. A link's token is random; only its digest is stored."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from annotation.consent.standing import confirm_consent, refuse_other_version
from annotation.models import Invitation, InvitationUse
from foundation.access.api_tokens import digest_of
from foundation.collections.members import add_member
from foundation.collections.studies import carry_to_studies
from foundation.models import Account, Collection, Membership
from foundation.refused import LinkUnknown, Refused


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """A new invitation and its token, which isn't stored."""

    invitation: Invitation
    token: str


@transaction.atomic
def make_invitation(
    *,
    lead: Membership,
    places: int | None = None,
    expires_at: datetime | None = None,
    languages: Sequence[str] = (),
    label: str = "",
) -> NewInvitation:
    """Create an invitation by which `places` people (None: any number) can become annotators.

    Raises: ValidationError for no places, a moment in the past, or a malformed language.
    """
    if expires_at is not None and expires_at <= timezone.now():
        raise ValidationError("The link would have expired already: choose a later day.")
    token = secrets.token_urlsafe(32)
    invitation = Invitation(
        collection=lead.collection,
        digest=digest_of(token),
        label=label,
        languages=list(languages),
        places=places,
        expires_at=expires_at,
        made_by=lead,
    )
    invitation.full_clean()
    invitation.save()
    return NewInvitation(invitation, token)


@transaction.atomic
def withdraw_invitation(*, lead: Membership, invitation_id: int) -> None:
    """Withdraw the link; people who joined by it stay. Repeating it changes nothing."""
    lead.collection.invitations.filter(pk=invitation_id, withdrawn_at__isnull=True).update(withdrawn_at=timezone.now())


def find_invitation(token: str) -> Invitation:
    """The invitation with this token, open or closed.

    Raises: LinkUnknown if there is none.
    """
    invitation = Invitation.objects.select_related("collection").filter(digest=digest_of(token)).first()
    if invitation is None:
        raise LinkUnknown(_("This link is incomplete or unknown. Ask for a new one."))
    return invitation


def refuse_closed(invitation: Invitation) -> None:
    """Raises: Refused if it was withdrawn, has expired or no place left, or its collection is archived."""
    if invitation.collection.archived_at is not None:
        raise Refused(_("This collection is archived, so nobody can join it any more."))
    if invitation.withdrawn_at is not None:
        raise Refused(_("This invitation was withdrawn. Ask whoever sent it for a new one."))
    last_day = invitation.last_day
    if invitation.expires_at is not None and last_day is not None and invitation.expires_at <= timezone.now():
        raise Refused(
            _("This invitation expired after %(day)s. Ask whoever sent it for a new one.")
            % {"day": date_format(last_day, "SHORT_DATE_FORMAT")}
        )
    if invitation.places is not None and invitation.uses.count() >= invitation.places:
        raise Refused(_("Everybody this invitation was for has joined. Ask whoever sent it for a new one."))


@transaction.atomic
def accept_invitation(*, token: str, account: Account, consent: int | None = None) -> Membership:
    """Make the account an annotator: an applicant where the collection has an exam. A member just stays one.

    Args: consent: the version of the consent text that they confirm, where the collection has one: without it nothing
        is stored.
    Raises: Refused.
    """
    invitation = find_invitation(token)
    # One at a time, so that a link for one can't let two in.
    Invitation.objects.select_for_update().get(pk=invitation.pk)
    member = Membership.objects.filter(collection=invitation.collection, account=account).first()
    if member is not None:
        return member
    invitation.refresh_from_db(fields=["withdrawn_at", "expires_at", "places"])
    refuse_closed(invitation)
    text = refuse_other_version(invitation.collection, consent)
    needs_exam = invitation.collection.needs_exam
    member = add_member(
        collection=invitation.collection,
        account=account,
        role=Membership.Role.ANNOTATOR,
        status=Membership.Status.APPLICANT if needs_exam else Membership.Status.ADMITTED,
    )
    # The page says that whoever joins is as old.
    member.languages, member.age = invitation.languages, invitation.collection.minimum_age
    member.save(update_fields=["languages", "age"])
    carry_to_studies(member)
    if text is not None:
        confirm_consent(member=member, version=text.version)
    InvitationUse.objects.create(invitation=invitation, annotator=member)
    return member


def invitations_of(collection: Collection) -> QuerySet[Invitation]:
    """A collection's invitations, newest first, each with `used`: how many joined by it."""
    return collection.invitations.select_related("made_by").annotate(used=Count("uses")).order_by("-pk")
