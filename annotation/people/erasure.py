"""Erase a person: worker id and judgments stay, the link to the person goes."""

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from annotation.models import Invitation, InvitationUse
from foundation.accounts.erasure_hooks import note_erasure
from foundation.accounts.first_owner import owners_beside
from foundation.accounts.powers import why_no_power
from foundation.collections.leave_hooks import stop_judging
from foundation.models import Account, MailItem, Membership, Session
from foundation.refused import Refused


@transaction.atomic
def erase_account(*, account: Account) -> None:
    """Delete an account with its logins and the traces of its invitations; memberships and judgments stay.

    What the person had to judge is others' at once.

    Raises: Refused if a collection would be left without anybody who leads it, or without its owner, or a
        site that others use without its owner.
    """
    for member in account.memberships.select_related("collection"):
        if member.leads and not _others(member, Membership.Role.OWNER, Membership.Role.LEAD):
            raise Refused(
                _("You are the only one who leads %(collection)s. Make somebody else its lead first.")
                % {"collection": member.collection.title}
            )
        if member.role == Membership.Role.OWNER and not _others(member, Membership.Role.OWNER):
            raise Refused(
                _("You are the only owner of %(collection)s. Make somebody else its owner first.")
                % {"collection": member.collection.title}
            )
        _forget_invitation(member)
        stop_judging(member)
    account.memberships.update(**NOTHING_SAID)
    if account.owns_site and not owners_beside(account) and Account.objects.exclude(pk=account.pk).exists():
        raise Refused(_("You are the only owner of this site. Make somebody else its owner first."))
    Session.objects.filter(account=account).delete()
    note_erasure(account.pk)
    account.delete()


NOTHING_SAID = {"avoids": [], "age": 0}
"""What a place keeps of what its person said of themselves."""


@transaction.atomic
def erase_member(*, lead: Membership, member: Membership) -> bool:
    """Erase the person behind a worker id, for a lead of the collection. Returns whether the account itself is gone.

    The account goes too where the lead may decide about all of it by this collection alone (`why_no_power`). Otherwise
    only the place is parted from it, with those in the collection's studies. Repeating it changes nothing.

    Raises: Refused if the member leads the collection.
    """
    account = Account.objects.filter(memberships=member).first()
    if account is None:
        return True
    actor = Account.objects.get(memberships=lead)
    if not why_no_power("erase", actor=actor, account=account, within=member.collection_id):
        erase_account(account=account)
        return True
    part_member(member=member)
    return False


@transaction.atomic
def part_member(*, member: Membership) -> None:
    """Part an annotator's place, and those in the collection's studies, from their account, which stays.

    Raises: Refused if the member leads the collection.
    """
    account = member.account
    if account is None:
        return
    if member.leads:
        raise Refused(_("People who lead a collection erase their accounts themselves, on their own page."))
    here = Q(pk=member.pk) | Q(collection__study_of=member.collection_id)
    _forget_invitation(member)
    for place in account.memberships.filter(here):
        stop_judging(place)
    MailItem.objects.filter(account=account, collection__memberships__in=account.memberships.filter(here)).delete()
    account.memberships.filter(here).update(account=None, **NOTHING_SAID)
    note_erasure(account.pk, member.pk)


def _others(member: Membership, *roles: str) -> bool:
    """Whether another member with an account has one of these roles in the collection."""
    others = member.collection.memberships.filter(role__in=roles, account__isnull=False)
    return others.exclude(pk=member.pk).exists()


def _forget_invitation(member: Membership) -> None:
    # A label may say whom the link was for. The use stays, so that a place isn't free again.
    used = InvitationUse.objects.filter(annotator=member)
    Invitation.objects.filter(uses__in=used).update(label="")
    used.update(annotator=None)
