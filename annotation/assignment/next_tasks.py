"""The next pairs for an annotator: find or take a seat at a batch, list what is left to judge there."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation.assignment.hidden_repeat_rule import placed_among
from annotation.assignment.hidden_repeats import Waiting, slip_in_repeats, waiting_repeats
from annotation.assignment.open_batches import openings
from annotation.assignment.routing import pairs_for
from annotation.assignment.seat_sql import (
    Sitting,
    end_seat,
    hold_if_free,
    hold_my_batches,
    lock_member,
    renew_seat,
    sit_down,
    sitting_at,
    sittings_of,
)
from annotation.batches.transitions import settle_batch
from annotation.models import Seat
from corpus.models import Membership

AT_HAND = 4
"""Pairs that an annotator is sent at a time: the one to judge, and those that the page loads ahead."""


@dataclass(frozen=True, slots=True)
class Task:
    """What an annotator's page is told of a pair, and nothing else. `clip` is None where the collection has none."""

    pair: str
    query: str
    clip: str | None


@transaction.atomic
def next_tasks(*, member: Membership) -> list[Task]:
    """The pairs to judge now, best first: what is left at the annotator's own seats, then at a new one.

    Takes a seat when fewer than four pairs are at hand, so that the next query's clips are loaded before this one is
    done; ends seats at which nothing is left. Empty when there is nothing to do, or the member isn't to be given any.
    """
    lock_member(member)
    if member.status != Membership.Status.ADMITTED:
        return []
    now = timezone.now()
    sittings = sittings_of(member, now)
    if not all(sitting.live and sitting.pairs for sitting in sittings):
        # Who sits down again takes a place, and a round that ended is settled: nobody else may be at it meanwhile.
        hold_my_batches(member)
        # Read anew under these locks: a round that ended while we waited for them has ended its seats.
        now = timezone.now()
        sittings = sittings_of(member, now)
    kept = [sitting for sitting in sittings if _keep_seat(member, sitting, now)]
    tasks = _tasks(member, kept)
    while len(tasks) < AT_HAND and (taken := _take_seat(member, now)) is not None:
        found = _tasks(member, [taken])
        if member.collection.repeat_share:
            slip_in_repeats(member=member, batch_id=taken.batch, pairs=len(found), now=now)
        kept.append(taken)
        tasks += found
    repeats = waiting_repeats(member)
    if repeats:
        tasks = _with_repeats(member, kept, repeats)
    return tasks[:AT_HAND]


def _with_repeats(member: Membership, sittings: Sequence[Sitting], repeats: Sequence[Waiting]) -> list[Task]:
    tasks = [(sitting.batch, task) for sitting in sittings for task in _tasks(member, [sitting])]
    again = [(one.before_batch, Task(pair=one.pair, query=one.query, clip=one.clip)) for one in repeats]
    return placed_among(tasks, again)


def tasks_at_hand(member: Membership, sittings: Sequence[Sitting], *, without: int) -> list[Task] | None:
    """The next pairs after `without` was judged, if the seats as read offer enough; else None: ask `next_tasks`."""
    if member.status != Membership.Status.ADMITTED or not all(sitting.live for sitting in sittings):
        return None
    if member.repeat_waits:
        return None
    tasks = _tasks(member, sittings, without)
    return tasks[:AT_HAND] if len(tasks) >= AT_HAND else None


def _tasks(member: Membership, sittings: Sequence[Sitting], without: int | None = None) -> list[Task]:
    return [
        Task(pair=pair.public_id, query=sitting.query, clip=pair.clip)
        for sitting in sittings
        for pair in pairs_for(member.pk, sitting.pairs, sitting.others)
        if pair.pk != without
    ]


def _keep_seat(member: Membership, sitting: Sitting, now: datetime) -> bool:
    """Renew a seat at which something is left, a new one in place of an expired one; end it otherwise."""
    until = now + timedelta(minutes=member.collection.seat_minutes)
    if not pairs_for(member.pk, sitting.pairs, sitting.others):
        end_seat(sitting, now=now)
        if not sitting.pairs:
            # The last two pairs of a round were judged at the same moment: neither judgment saw itself as the last.
            settle_batch(sitting.batch)
        return False
    if sitting.live:
        return renew_seat(sitting, until=until)
    # Its turn is lost: it comes back as the last one there, if places are left when nobody else can take any.
    end_seat(sitting, now=now)
    again = sitting_at(member, sitting.batch, now)
    if not pairs_for(member.pk, again.pairs, again.others):
        return False
    sit_down(member, sitting.batch, now=now, until=until)
    return True


def _take_seat(member: Membership, now: datetime) -> Sitting | None:
    for batch_id in openings(member, now):
        if not hold_if_free(batch_id):
            continue
        sitting = sitting_at(member, batch_id, now)
        if pairs_for(member.pk, sitting.pairs, sitting.others):
            sit_down(member, batch_id, now=now, until=now + timedelta(minutes=member.collection.seat_minutes))
            return sitting
    return None


def keep_seats(*, member: Membership) -> None:
    """A sign of life: the annotator's live seats last as long again."""
    now = timezone.now()
    until = now + timedelta(minutes=member.collection.seat_minutes)
    live_seats(member, now).update(expires_at=until)


@transaction.atomic
def leave_seats(*, member: Membership) -> int:
    """The annotator stops for now: the places are free at once, what was judged stays. Returns how many seats ended."""
    lock_member(member)
    return member.seats.filter(ended_at__isnull=True).update(ended_at=timezone.now())


def give_up_seats(member: Membership) -> int:
    """Who judges no longer keeps no place from others."""
    return leave_seats(member=member)


def live_seats(member: Membership, now: datetime) -> QuerySet[Seat]:
    """The annotator's seats that neither ended nor expired, first taken first."""
    return member.seats.filter(ended_at__isnull=True, expires_at__gt=now).order_by("pk")
