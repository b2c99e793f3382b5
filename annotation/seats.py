"""Seats: which batch an annotator sits at, and what is left to judge there."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Case, Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone

from annotation.judging import lock_member
from annotation.models import Batch, Judgment, Pair, Seat
from annotation.routing import PairFacts, pairs_for
from corpus.models import Clip, Membership

AT_HAND = 4
"""Pairs that an annotator is sent at a time: the one to judge, and those that the page loads ahead."""
BATCHES_LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class Task:
    """What an annotator's page is told of a pair, and nothing else. `clip` is None where the collection has none."""

    pair: str
    query: str
    clip: str | None


@transaction.atomic
def next_tasks(*, member: Membership) -> list[Task]:
    """The pairs to judge now, best first: what is left at the annotator's own seat, or at a new one.

    Takes a seat where work is left, and ends seats at which nothing is. Empty when there is nothing to do.
    """
    lock_member(member)
    seats = member.seats.filter(ended_at__isnull=True).order_by("pk")
    # All at once and in one order, so that people with several open seats can't wait for each other in a circle.
    held = (
        Batch.objects.select_for_update().filter(pk__in=list(seats.values_list("batch_id", flat=True))).order_by("pk")
    )
    batches = {batch.pk: batch for batch in held}
    # Read under the locks: a round that ended while we waited for them has ended its seats.
    for seat in seats.all():
        batch = batches[seat.batch_id]
        facts = left_for(seat, batch)
        if facts:
            _renew(seat, member)
            return _tasks(batch, facts)
        Seat.objects.filter(pk=seat.pk).update(ended_at=timezone.now())
    return _take_seat(member)


def left_for(seat: Seat, batch: Batch) -> list[PairFacts]:
    """What an annotator may still judge at a seat. Call it with the batch locked."""
    now = timezone.now()
    if seat.expires_at <= now:
        # A seat that expired has lost its turn: everybody who sits there now goes first.
        others = _live_seats(batch, now).exclude(annotator=seat.annotator_id)
    else:
        others = _live_seats(batch, now).filter(pk__lt=seat.pk)
    return pairs_for(seat.annotator_id, pair_facts(batch), list(others.values_list("annotator_id", flat=True)))


def _live_seats(batch: Batch, now: datetime) -> QuerySet[Seat]:
    return batch.seats.filter(ended_at__isnull=True, expires_at__gt=now)


def _renew(seat: Seat, member: Membership) -> None:
    now = timezone.now()
    until = now + timedelta(minutes=member.collection.seat_minutes)
    if seat.expires_at <= now:
        seat.ended_at = now
        seat.save(update_fields=["ended_at"])
        Seat.objects.create(batch_id=seat.batch_id, annotator=member, expires_at=until)
    else:
        Seat.objects.filter(pk=seat.pk).update(expires_at=until)


def pair_facts(batch: Batch) -> list[PairFacts]:
    """The undecided pairs of a batch's current round, for routing."""
    if not batch.judging:
        return []
    status = Pair.Status.OPEN if batch.status == Batch.Status.FIRST_ROUND else Pair.Status.DISPUTED
    ready = Clip.objects.filter(moment=OuterRef("candidate__moment")).exclude(video_file="")
    pairs = list(
        batch.pairs.filter(status=status)
        .annotate(watchable=Q(Exists(ready)) | Q(batch__query__collection__has_clips=False))
        .order_by("pk")
    )
    judges: dict[int, set[int]] = {pair.pk: set() for pair in pairs}
    counted = Judgment.objects.filter(pair__in=pairs, counted=True).values_list("pair_id", "annotator_id")
    for pair_id, annotator_id in counted:
        judges[pair_id].add(annotator_id)
    return [
        PairFacts(
            pk=pair.pk,
            public_id=str(pair.public_id),
            disputed=pair.status == Pair.Status.DISPUTED,
            judges=frozenset(judges[pair.pk]),
            watchable=pair.watchable,
        )
        for pair in pairs
    ]


def _take_seat(member: Membership) -> list[Task]:
    for batch_id in _promising_batches(member):
        # Somebody who is just sitting down there holds the lock: look at the next batch meanwhile.
        batch = Batch.objects.select_for_update(skip_locked=True).filter(pk=batch_id).first()
        if batch is None:
            continue
        seated = _live_seats(batch, timezone.now()).values_list("annotator_id", flat=True)
        facts = pairs_for(member.pk, pair_facts(batch), list(seated))
        if facts:
            until = timezone.now() + timedelta(minutes=member.collection.seat_minutes)
            Seat.objects.create(batch=batch, annotator=member, expires_at=until)
            return _tasks(batch, facts)
    return []


def _promising_batches(member: Membership) -> Iterator[int]:
    """Batches with a pair that this annotator hasn't judged: second rounds first, then begun ones, then new."""
    now = timezone.now()
    mine = Judgment.objects.filter(pair=OuterRef("pk"), annotator=member, counted=True)
    left = Pair.objects.filter(batch=OuterRef("pk")).filter(~Exists(mine))
    if member.collection.has_clips:
        left = left.filter(candidate__moment__clip__video_file__gt="")
    batches = (
        Batch.objects.filter(query__collection=member.collection)
        .filter(
            Q(status=Batch.Status.FIRST_ROUND) & Exists(left.filter(status=Pair.Status.OPEN))
            | Q(status=Batch.Status.SECOND_ROUND) & Exists(left.filter(status=Pair.Status.DISPUTED))
        )
        .annotate(
            seated=Count("seats", filter=Q(seats__ended_at__isnull=True, seats__expires_at__gt=now)),
            begun=Exists(Seat.objects.filter(batch=OuterRef("pk"))),
            turn=Case(
                When(status=Batch.Status.SECOND_ROUND, then=Value(0)),
                When(begun=True, then=Value(1)),
                default=Value(2),
                output_field=IntegerField(),
            ),
        )
        .filter(seated__lt=2)
        .order_by("turn", F("number").desc(), "pk")
        .values_list("pk", flat=True)
    )
    yield from batches[:BATCHES_LOOKED_AT]
    # Where somebody sits the last places may be theirs; where nobody does there is always work.
    yield from batches.filter(seated=0)[:BATCHES_LOOKED_AT]


def _tasks(batch: Batch, facts: list[PairFacts]) -> list[Task]:
    chosen = facts[:AT_HAND]
    clips = dict(
        Pair.objects.filter(pk__in=[pair.pk for pair in chosen])
        .exclude(candidate__moment__clip__video_file="")
        .values_list("pk", "candidate__moment__clip__public_name")
    )
    return [Task(pair=pair.public_id, query=batch.query.text, clip=clips.get(pair.pk)) for pair in chosen]
