"""Judgments given and taken back, and what follows from each for its pair and its batch.

The states and who may change them are told in `states.md` beside this file.
"""

import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from django.db import transaction
from django.utils import timezone

from annotation.consensus import BOTH_ROUNDS, FIRST_ROUND, decide
from annotation.models import Batch, Judgment, Pair, Seat
from corpus.models import Membership

Kept = Literal["counted", "late", "already"]


class JudgmentRefused(Exception):
    """The judgment or undo can't be taken; the message is for the annotator, nothing was changed."""


@dataclass(frozen=True, slots=True)
class Given:
    """What became of a judgment: counted; kept uncounted because it came too late; or there already."""

    judgment: Judgment
    kept: Kept


@transaction.atomic
def give_judgment(
    *, member: Membership, pair_id: uuid.UUID, grade: int, key: uuid.UUID, played: float | None = None
) -> Given:
    """Keep an annotator's grade of a pair, and decide the pair if that completes a round.

    Args:
        member: the annotator.
        pair_id: the pair's public id.
        grade: 0-4.
        key: made by the page, one a judgment; the same key again returns the same judgment.
        played: the part of the clip that was seen, 0-1; asked for in collections with clips.

    Raises: JudgmentRefused if the pair isn't the annotator's to judge, or too little of the clip was seen.
    """
    lock_member(member)
    earlier = Judgment.objects.filter(annotator=member, key=key).select_related("pair").first()
    if earlier is not None:
        if earlier.pair.public_id != pair_id:
            raise JudgmentRefused("That key was another clip's. Reload the page and judge this one again.")
        return Given(earlier, "already")
    pair = _lock_pair(member, pair_id)
    mine = pair.judgments.filter(annotator=member, counted=True).first()
    if mine is not None:
        return Given(mine, "already")
    _refuse_unseen(member, grade, played)
    counted = pair.judgments.filter(counted=True).count()
    needed = {Pair.Status.OPEN: FIRST_ROUND, Pair.Status.DISPUTED: BOTH_ROUNDS}.get(Pair.Status(pair.status), 0)
    late = counted >= needed
    judgment = Judgment.objects.create(
        pair=pair,
        annotator=member,
        grade=grade,
        round=1 if counted < FIRST_ROUND else 2,
        counted=not late,
        uncounted_because=Judgment.Uncounted.LATE if late else "",
        key=key,
        played=played,
    )
    if late:
        return Given(judgment, "late")
    _settle_pair(pair)
    return Given(judgment, "counted")


def lock_member(member: Membership) -> None:
    """One request at a time for each person, until the transaction ends; always the first lock taken.

    So a key looked up and not found stays free, and two tabs can't open two seats.
    """
    Membership.objects.select_for_update(no_key=True).get(pk=member.pk)


def _lock_pair(member: Membership, pair_id: uuid.UUID) -> Pair:
    pair = (
        Pair.objects.select_for_update(of=("self",))
        .select_related("batch")
        .filter(public_id=pair_id, batch__query__collection=member.collection_id)
        .first()
    )
    # Whoever never sat at the batch was never sent the pair.
    if pair is None or not Seat.objects.filter(batch=pair.batch, annotator=member).exists():
        raise JudgmentRefused("This clip isn't yours to judge. Reload the page to go on.")
    return pair


def _refuse_unseen(member: Membership, grade: int, played: float | None) -> None:
    if grade not in range(5):
        raise JudgmentRefused("A grade is a number from 0 to 4.")
    if member.collection.has_clips and (played is None or played < member.collection.played_fraction):
        share = f"{member.collection.played_fraction:.0%}"
        raise JudgmentRefused(f"Watch at least {share} of the clip first; nothing was saved for it.")


@transaction.atomic
def take_back_last(*, member: Membership) -> Judgment:
    """Take an annotator's last judgment back; it is kept, uncounted, and its pair waits for another.

    Open until somebody else has judged the pair since, or the batch has been reviewed.

    Raises: JudgmentRefused, saying why.
    """
    lock_member(member)
    last = member.judgments.filter(counted=True).order_by("-given_at", "-pk").select_related("pair").first()
    if last is None:
        raise JudgmentRefused("There is nothing to take back.")
    pair = _lock_pair(member, last.pair.public_id)
    if pair.judgments.filter(counted=True, pk__gt=last.pk).exists():
        raise JudgmentRefused("Your last judgment stands: somebody else has judged that clip since.")
    # Locked, so that no review can come between this look and what follows from the undo.
    batch = Batch.objects.select_for_update().get(pk=pair.batch_id)
    if hasattr(batch, "review"):
        raise JudgmentRefused("Your last judgment stands: its query has been reviewed.")
    last.counted, last.uncounted_because = False, Judgment.Uncounted.TAKEN_BACK
    last.taken_back_at = timezone.now()
    last.save(update_fields=["counted", "uncounted_because", "taken_back_at"])
    _settle_pair(pair)
    _reopen_seat(member, batch)
    return last


def _reopen_seat(member: Membership, batch: Batch) -> None:
    """The annotator goes back to the seat from which the judgment was given, with its place in the row."""
    seat = batch.seats.filter(annotator=member).order_by("-pk").first()
    if seat is not None and seat.ended_at is not None:
        seat.ended_at = None
        seat.expires_at = timezone.now() + timedelta(minutes=member.collection.seat_minutes)
        seat.save(update_fields=["ended_at", "expires_at"])


def _settle_pair(pair: Pair) -> None:
    """Make a locked pair's state follow from its counted judgments, and its batch's from its pairs."""
    grades = list(pair.judgments.filter(counted=True).order_by("pk").values_list("grade", flat=True))
    status, grade = pair_state(grades)
    if (status, grade) != (pair.status, pair.grade):
        pair.status, pair.grade = status, grade
        pair.save(update_fields=["status", "grade"])
        settle_batch(pair.batch_id)


def pair_state(grades: list[int]) -> tuple[Pair.Status, int | None]:
    """The state that a pair's counted grades, in the order given, put it in, and its grade."""
    if len(grades) < FIRST_ROUND:
        return Pair.Status.OPEN, None
    first = decide(grades[:FIRST_ROUND])
    if first.status == "consensus":
        return Pair.Status.CONSENSUS, first.grade
    if len(grades) < BOTH_ROUNDS:
        return Pair.Status.DISPUTED, None
    both = decide(grades[:BOTH_ROUNDS])
    return (Pair.Status.CONSENSUS if both.status == "consensus" else Pair.Status.DISCARDED), both.grade


def settle_batch(batch_id: int) -> Batch:
    """Make a batch's status follow from its pairs. A batch after which none may come is finished when decided."""
    batch = Batch.objects.select_for_update(of=("self",)).select_related("query__collection").get(pk=batch_id)
    statuses = set(batch.pairs.values_list("status", flat=True))
    if Pair.Status.OPEN in statuses:
        status = Batch.Status.FIRST_ROUND
    elif Pair.Status.DISPUTED in statuses:
        status = Batch.Status.SECOND_ROUND
    elif is_last(batch):
        status = Batch.Status.FINISHED
    else:
        status = Batch.Status.DECIDED
    if status != batch.status:
        batch.status = status
        batch.save(update_fields=["status"])
        # What the seats there were taken for is over; nobody has to come back for them to be free.
        batch.seats.filter(ended_at__isnull=True).update(ended_at=timezone.now())
    return batch


def is_last(batch: Batch) -> bool:
    """Whether no batch can follow: the collection's number is reached, or the query has no more candidates."""
    collection = batch.query.collection
    if batch.number >= collection.max_batches:
        return True
    return not batch.query.candidates.filter(rank__gt=batch.number * collection.batch_size).exists()
