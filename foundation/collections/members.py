"""Add members to collections."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.collections.cast import parse_cast, write_cast
from foundation.collections.studies import carry_to_studies, refuse_study
from foundation.models import Account, Collection, Membership
from foundation.refused import Refused


def get_or_create_collection(*, name: str, title: str = "", has_clips: bool = True) -> Collection:
    """The collection of this short name, created with the given title if there is none.

    Raises: ValidationError if the name is not made of lower-case letters, digits and hyphens, or is that of a study.
    """
    existing = Collection.objects.filter(name=name).first()
    if existing is not None:
        try:
            refuse_study(existing, "takes no material")
        except Refused as refusal:
            raise ValidationError({"name": str(refusal)}) from refusal
        return existing
    collection = Collection(name=name, title=title or name, has_clips=has_clips)
    collection.full_clean(validate_unique=False)
    return Collection.objects.get_or_create(name=name, defaults={"title": title or name, "has_clips": has_clips})[0]


@transaction.atomic
def add_member(
    *,
    collection: Collection,
    account: Account,
    role: str,
    worker: str = "",
    status: str = Membership.Status.ADMITTED,
    recruited: bool = False,
) -> Membership:
    """Add an account to a collection, or change its role; without `worker` it gets the next free id (w01, w02 ...).

    Args: recruited: whether a platform sent them: they judge in sessions, and in none of the collection's studies.
    An existing membership keeps its worker id and status and takes the role. The collection's studies follow.

    Raises: Refused for a study, whose people are those of its collection; ValidationError for an annotator who
    has led here: captions and grades can't be unseen.
    """
    refuse_study(collection, "has no members of its own")
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    member = Membership.objects.filter(collection=collection, account=account).first()
    if member is not None and member.has_led and role == Membership.Role.ANNOTATOR:
        raise ValidationError(
            f"{member.worker} has led here and seen captions and grades, so they can't judge here. Remove "
            f"them on the page Members instead to end their access."
        )
    if member is None:
        worker = worker or _next_worker(collection)
        member = Membership(collection=collection, account=account, worker=worker, status=status, recruited=recruited)
    member.role = role
    if member.leads:
        member.has_led, member.status = True, Membership.Status.ADMITTED
    member.full_clean()
    member.save()
    carry_to_studies(member)
    return member


def _next_worker(collection: Collection) -> str:
    taken = set(collection.memberships.values_list("worker", flat=True))
    number = len(taken) + 1
    while f"w{number:02d}" in taken:
        number += 1
    return f"w{number:02d}"


LONGEST_CONTEXT = 4000


@transaction.atomic
def set_cast(
    *, collection: Collection, cast: str | None = None, context: str | None = None, source: str = "cast"
) -> int:
    """Set a collection's cast list, its context, or both; None leaves one as it is. Returns the size of the cast.

    Raises: BadCast for a cast list that can't be read, ValueError for a context that is too long; nothing is changed.
    """
    collection = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    if cast is not None:
        written = write_cast(parse_cast(cast, source=source))
        if written != collection.cast:
            collection.cast, collection.cast_set_at = written, timezone.now()
    if context is not None:
        collection.context = " ".join(context.split())
        if len(collection.context) > LONGEST_CONTEXT:
            raise ValueError(
                _("Found %(found)s characters, expected at most %(most)s: every request carries this text.")
                % {"found": f"{len(collection.context):,}", "most": f"{LONGEST_CONTEXT:,}"}
            )
    collection.save(update_fields=["cast", "cast_set_at", "context"])
    return len(parse_cast(collection.cast))
