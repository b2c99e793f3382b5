"""Review of a batch whose pairs are all settled, by lead or policy: extend, finish, later, take back (rule 7)."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone
from django.utils.translation import gettext

from annotation.batches.opening import open_batch
from annotation.batches.transitions import is_last, settle_batch
from annotation.batches.webhook_events import note_finished
from annotation.models import Batch, FormerReview, Review
from annotation.models.review import ReviewFigures
from annotation.review.extend_rule import recommend
from foundation.models import Membership
from foundation.refused import Refused


@transaction.atomic
def review_batch(*, member: Membership, batch_id: int, decision: str, seen: int | None = None) -> Review:
    """Extend or finish a decided batch, and record who decided on which figures. Repeating it changes nothing.

    Args:
        seen: `version_of` the batch as it was shown, where the page says it.

    Raises: Refused if the batch isn't decided yet, was decided the other way, or isn't what was seen.
    """
    batch = _hold(member.collection_id, batch_id)
    standing = Review.objects.filter(batch=batch).select_related("decided_by").first()
    if standing is not None:
        if standing.decision == decision:
            return standing
        raise Refused(
            gettext("This batch was reviewed already: %(decision)s, by %(standing)s.")
            % {"decision": standing.get_decision_display(), "standing": by_whom(standing)}
        )
    if batch.status != Batch.Status.DECIDED:
        raise Refused(
            gettext("This batch can't be reviewed: it is %(status)s.") % {"status": batch.get_status_display()}
        )
    if decision not in Review.Decision.values:
        raise Refused(
            gettext("found the decision %(decision)s, expected extend or finish") % {"decision": repr(decision)}
        )
    if seen is not None and seen != version_of(batch):
        raise Refused(gettext("Its grades have changed since they were shown. Look again; nothing was decided."))
    return decide_held_batch(
        batch=batch, decision=decision, decided_by=member, threshold=batch.query.collection.extend_threshold
    )


def decide_held_batch(*, batch: Batch, decision: str, decided_by: Membership | None, threshold: float) -> Review:
    """Extend or finish a batch that is decided and locked. `decided_by` None: the policy, by its `threshold`."""
    if decision == Review.Decision.EXTEND:
        if is_last(batch):
            raise Refused(gettext("There are no more candidates to judge: finish it."))
        # A recipe that hears the grades may have nothing to choose, now that it has them.
        if not open_batch(query=batch.query, number=batch.number + 1):
            raise Refused(gettext("There are no more candidates to judge: finish it."))
        batch.status = Batch.Status.EXTENDED
    else:
        batch.status = Batch.Status.FINISHED
    batch.save(update_fields=["status"])
    if batch.status == Batch.Status.FINISHED:
        note_finished(batch.pk)
    graded = _graded(batch)
    return Review.objects.create(
        batch=batch,
        decision=decision,
        decided_by=decided_by,
        mean=recommend(graded, threshold=threshold).mean,
        threshold=threshold,
        grades=[grade for _, grade in graded],
    )


@transaction.atomic
def take_back_review(*, member: Membership, batch_id: int, review_id: int) -> Batch:
    """Take back a review, which is kept as former: the batch waits for the lead again. Repeating it changes nothing.

    What was extended can be taken back until somebody sits down at the next batch.

    Raises: Refused, saying why; nothing was changed.
    """
    batch = _hold(member.collection_id, batch_id)
    review = Review.objects.filter(batch=batch, pk=review_id).first()
    if review is None:
        if FormerReview.objects.filter(batch=batch, review=review_id).exists():
            return batch
        raise Refused(gettext("That decision is no longer current: this batch was decided again, or never by it."))
    if review.decision == Review.Decision.EXTEND:
        _close_next(batch)
    _put_away([review], member)
    settle_batch(batch.pk)
    return batch


def take_back_finishes(*, member: Membership, batches: Sequence[Batch]) -> None:
    """Take back the reviews that finished some of these batches, which the caller has locked, and settles then."""
    _put_away(list(Review.objects.filter(batch__in=batches, decision=Review.Decision.FINISH)), member)


def _put_away(reviews: Sequence[Review], member: Membership) -> None:
    former = []
    for review in reviews:
        columns = {field.attname: getattr(review, field.attname) for field in ReviewFigures._meta.fields}
        former.append(FormerReview(**columns, batch_id=review.batch_id, review=review.pk, taken_back_by=member))
    FormerReview.objects.bulk_create(former)
    Review.objects.filter(pk__in=[review.pk for review in reviews]).delete()
    Batch.objects.filter(pk__in=[review.batch_id for review in reviews]).update(postponed_at=None)


def _close_next(batch: Batch) -> None:
    """Remove the batch that a review opened, unless somebody has taken a seat there."""
    following = (
        Batch.objects.select_for_update(no_key=True).filter(query=batch.query_id, number=batch.number + 1).first()
    )
    if following is None:
        return
    # Not only while they sit: who was sent a pair may have judged it where there is no network.
    if following.begun_at is not None:
        raise Refused(gettext("The next batch is being judged already, so the decision stands."))
    following.pairs.all().delete()
    following.delete()


def postpone_review(*, member: Membership, batch_id: int) -> None:
    """Put a decided batch at the end of the lead's queue."""
    Batch.objects.filter(pk=batch_id, query__collection=member.collection_id, status=Batch.Status.DECIDED).update(
        postponed_at=timezone.now()
    )


def resume_review(*, member: Membership, batch_id: int) -> None:
    """Undo "later": the batch returns to its place in the queue."""
    Batch.objects.filter(pk=batch_id, query__collection=member.collection_id).update(postponed_at=None)


def version_of(batch: Batch) -> int:
    """A number that grows with every change to the batch's pairs or judgments."""
    return int(batch.pairs.aggregate(version=Sum("version"))["version"] or 0)


POLICY = "the policy"
"""Shown as who decided for decisions by the batch review policy."""


def by_whom(review: ReviewFigures) -> str:
    """The worker id of the person who decided, or `POLICY`."""
    return review.decided_by.worker if review.decided_by is not None else POLICY


def _hold(collection_id: int, batch_id: int) -> Batch:
    batch = (
        Batch.objects.select_for_update(of=("self",), no_key=True)
        .select_related("query__collection")
        .filter(pk=batch_id, collection=collection_id)
        .first()
    )
    if batch is None:
        raise Refused(gettext("There is no such batch in this collection."))
    return batch


def _graded(batch: Batch) -> list[tuple[int, int | None]]:
    return list(batch.pairs.order_by("candidate__rank").values_list("candidate__rank", "grade"))
