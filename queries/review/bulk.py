"""Accept many captions at once, by their similarity to the description, and take all of it back."""

import uuid
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from foundation.models import Collection, Membership
from queries.models import CHECKS, Candidate, Caption, Decision, Query
from queries.review.decisions import LONGEST_REASON
from queries.review.rewrite_again import shown_in_review

MOST = 20_000
"""Captions accepted by one request, which PostgreSQL does in seconds."""
_OTHER_CHECKS = Q(**{f"attempt__{check}_passed": True for check in CHECKS if check != "similarity"})


@dataclass(frozen=True, slots=True)
class BulkCount:
    """Waiting captions at or above a similarity: those that pass all other checks, and those that fail one."""

    similarity: float
    passing: int
    failing: int


def count_bulk(collection: Collection, similarity: float) -> BulkCount:
    """How many captions accepting from this similarity on would take. Args: similarity: 0 to 1."""
    waiting = _waiting(collection, similarity)
    passing = waiting.filter(_OTHER_CHECKS).count()
    return BulkCount(similarity, passing, waiting.count() - passing)


def _waiting(collection: Collection, similarity: float) -> QuerySet[Caption]:
    return Caption.objects.filter(
        shown_in_review(), description__collection=collection, attempt__similarity__gte=similarity
    ).exclude(text="")


@transaction.atomic
def accept_bulk(*, member: Membership, similarity: float, failing_too: bool = False) -> int:
    """Accept the waiting captions at or above a similarity, each as a decision of its own. Returns how many.

    Args: similarity: 0 to 1; failing_too: also those that fail another check (a name, words kept, persons and more).
    """
    waiting = _waiting(member.collection, similarity)
    if not failing_too:
        waiting = waiting.filter(_OTHER_CHECKS)
    captions = list(waiting.select_for_update(of=("self",), no_key=True).order_by("pk")[:MOST])
    bulk, now = uuid.uuid4(), timezone.now()
    reason = f"similarity of at least {similarity:g}, accepted together"[:LONGEST_REASON]
    Decision.objects.bulk_create(
        [
            Decision(
                caption=caption,
                member=member,
                kind=Decision.Kind.ACCEPTED,
                attempt_id=caption.attempt_id,
                before_id=caption.attempt_id,
                reason=reason,
                bulk=bulk,
            )
            for caption in captions
        ],
        batch_size=1000,
    )
    Caption.objects.filter(pk__in=[caption.pk for caption in captions]).update(
        status=Caption.Status.ACCEPTED, decided_by=member, decided_at=now, reason=reason, asked_again_at=None
    )
    return len(captions)


def last_bulk(member: Membership) -> uuid.UUID | None:
    """The bulk that the person's last standing decision belongs to; None if it was a single one, or there is none."""
    last = Decision.objects.filter(member=member, taken_back_at=None).order_by("-pk").first()
    return last.bulk if last is not None else None


@transaction.atomic
def take_back_bulk(*, member: Membership, bulk: uuid.UUID) -> tuple[int, int]:
    """Return the captions of a bulk to review, but those that a query or a candidate was made of since.

    Returns: how many went back, how many stay accepted.
    """
    decisions = Decision.objects.filter(member=member, bulk=bulk, taken_back_at=None)
    captions = list(decisions.select_for_update(no_key=True).values_list("caption_id", flat=True))
    drawn = set(
        Caption.objects.filter(
            pk__in=captions, description__in=Query.objects.filter(collection=member.collection).values("description")
        ).values_list("pk", flat=True)
    )
    used = drawn | set(Candidate.objects.filter(caption__in=captions).values_list("caption_id", flat=True))
    back = [pk for pk in captions if pk not in used]
    # Accepted as they were, so nothing but the decision has to go.
    Caption.objects.filter(pk__in=back).update(
        status=Caption.Status.REVIEW, decided_by=None, decided_at=None, reason=""
    )
    now = timezone.now()
    decisions.filter(caption__in=back).update(taken_back_at=now)
    # What stays is no longer undone with the others: the next undo is of the decision before.
    decisions.filter(caption__in=used).update(bulk=None)
    return len(back), len(used)
