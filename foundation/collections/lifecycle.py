"""Create, archive and restore collections; change members' roles."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.collections.leave_hooks import stop_judging
from foundation.collections.members import add_member
from foundation.collections.studies import carry_to_studies
from foundation.mail.membership_mails import place_changed
from foundation.models import Account, Collection, Membership
from foundation.refused import Refused


@transaction.atomic
def create_collection(*, account: Account, name: str, title: str, has_clips: bool = True) -> Collection:
    """A new collection whose owner is the account.

    Raises: Refused for who may not, ValidationError for a name that is taken or malformed, or no title.
    """
    if not account.creates_collections:
        raise Refused(_("Your account may not create collections. The person who runs this site can allow it."))
    collection = Collection(name=name.strip(), title=" ".join(title.split()), has_clips=has_clips)
    collection.full_clean()
    collection.save()
    add_member(collection=collection, account=account, role=Membership.Role.OWNER)
    return collection


@transaction.atomic
def archive_collection(*, member: Membership) -> Collection:
    """Make the collection read-only and list it only under archived ones. Repeating it changes nothing.

    Its studies go with it.

    Raises: Refused for who isn't an owner.
    """
    _refuse_other_than_owner(member, _("Only an owner can archive a collection."))
    collection = Collection.objects.select_for_update(no_key=True).get(pk=member.collection_id)
    if collection.archived_at is None:
        collection.archived_at = timezone.now()
        collection.save(update_fields=["archived_at"])
        # At the same instant, so that taking it back tells them from those that were put away before.
        collection.studies.filter(archived_at=None).update(archived_at=collection.archived_at)
    return collection


@transaction.atomic
def unarchive_collection(*, member: Membership) -> Collection:
    """Restore an archived collection as it was left. Raises: Refused for anybody but an owner."""
    _refuse_other_than_owner(member, _("Only an owner can restore a collection."))
    collection = Collection.objects.select_for_update(no_key=True).get(pk=member.collection_id)
    if collection.archived_at is not None:
        collection.studies.filter(archived_at=collection.archived_at).update(archived_at=None)
    collection.archived_at = None
    collection.save(update_fields=["archived_at"])
    return collection


@transaction.atomic
def change_role(*, member: Membership, other_id: int, role: str) -> Membership:
    """Change a member's role. Leads see captions and grades, so they never become annotators here again.

    Raises: Refused for who isn't an owner, for the last owner, for a way back to judging; ValueError for an
        unknown role.
    """
    if role not in Membership.Role.values:
        raise ValueError(f"found the role {role!r}, expected one of {', '.join(Membership.Role.values)}")
    other = _held(member, other_id, _("Only an owner can change roles."))
    if other.role == role:
        return other
    if role == Membership.Role.ANNOTATOR:
        raise Refused(
            _(
                "%(worker)s leads here and has seen captions and grades, so they can't judge here. "
                "Remove them instead to end their access."
            )
            % {"worker": other.worker}
        )
    _refuse_last_owner(other)
    judged = other.role == Membership.Role.ANNOTATOR
    other.role, other.has_led, other.status = role, True, Membership.Status.ADMITTED
    other.save(update_fields=["role", "status", "has_led"])
    if judged:
        stop_judging(other)
    carry_to_studies(other)
    place_changed(other)
    return other


@transaction.atomic
def remove_member(*, member: Membership, other_id: int) -> Membership:
    """Somebody sees and does no more here. Their worker id and what they judged and decided stay; what was theirs to
    judge is others' at once.

    Raises: Refused for who isn't an owner, for oneself as the last owner.
    """
    other = _held(member, other_id, _("Only an owner can remove people."))
    _refuse_last_owner(other)
    other.has_led = other.has_led or other.leads
    other.role, other.status = Membership.Role.ANNOTATOR, Membership.Status.BARRED
    other.save(update_fields=["role", "status", "has_led"])
    stop_judging(other)
    carry_to_studies(other)
    place_changed(other)
    return other


def _held(member: Membership, other_id: int, refusal: str) -> Membership:
    # One change of people at a time, so that two owners can't each remove the other: who waited looks again.
    Collection.objects.select_for_update(no_key=True).get(pk=member.collection_id)
    _refuse_other_than_owner(member, refusal)
    other = Membership.objects.filter(pk=other_id, collection_id=member.collection_id).first()
    if other is None:
        raise Refused(_("There is no such person in this collection."))
    return other


def _refuse_other_than_owner(member: Membership, refusal: str) -> None:
    # Read anew: the guard's answer may be a moment old.
    now = Membership.objects.get(pk=member.pk)
    if now.role != Membership.Role.OWNER:
        raise Refused(refusal)


def _refuse_last_owner(other: Membership) -> None:
    if other.role != Membership.Role.OWNER:
        return
    owners = Membership.objects.filter(collection=other.collection_id, role=Membership.Role.OWNER)
    if not owners.filter(account__isnull=False).exclude(pk=other.pk).exists():
        raise Refused(_("%(worker)s is the only owner. Make somebody else an owner first.") % {"worker": other.worker})
