"""The next pairs for an annotator: find or take a seat at a batch, list what is left to judge there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from annotation.assignment.assignment_policy import pairs_for, portion_for
from annotation.assignment.hidden_repeat_rule import placed_among
from annotation.assignment.hidden_repeats import WaitingRepeat, slip_in_repeats, waiting_repeats
from annotation.assignment.open_batches import openings, situation_of
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
from annotation.models import Batch, Seat
from corpus.models import Membership

AT_HAND = 4
"""Pairs that an annotator is sent at a time: the one to judge, and those that the page loads ahead."""
AHEAD = 20
"""With fewer than AT_HAND left, portions are taken until there are so many: finding work costs more than judging."""


@dataclass(frozen=True, slots=True)
class Task:
    """All that an annotator's page learns about a pair. `clip` is None if the collection has no clips."""

    pair: str
    query: str
    clip: str | None


@transaction.atomic
def next_tasks(*, member: Membership) -> list[Task]:
    """The pairs to judge now, best first: what is left at the annotator's own seats, then at a new one.

    Takes seats when fewer than four pairs are at hand, so that the next query's clips are loaded before this one is
    done; ends seats at which nothing is left. Empty when there is nothing to do, or the member isn't to be given any:
    isn't admitted, or has a new guideline to confirm first.
    """
    now = lock_member(member)
    if member.status != Membership.Status.ADMITTED or not member.knows_guideline:
        return []
    sittings = sittings_of(member)
    if not all(sitting.live and sitting.pairs for sitting in sittings):
        # Who sits down again takes a place, and a round that ended is settled: nobody else may be at it meanwhile.
        hold_my_batches(member)
        # Read anew under these locks: a round that ended while we waited for them has ended its seats.
        now = lock_member(member)
        sittings = sittings_of(member)
    kept = [sitting for sitting in sittings if _keep_seat(member, sitting, now)]
    tasks = _tasks(member, kept)
    if len(tasks) < AT_HAND:
        for taken in _take_seats(member, now):
            found = _tasks(member, [taken])
            if member.collection.repeat_share:
                slip_in_repeats(member=member, batch_id=taken.batch, pairs=len(found), now=now)
            kept.append(taken)
            tasks += found
            if len(tasks) >= (AHEAD if taken.portioned else AT_HAND):
                break
    repeats = waiting_repeats(member)
    if repeats:
        tasks = _with_repeats(member, kept, repeats)
    return tasks[:AT_HAND]


def _with_repeats(member: Membership, sittings: Sequence[Sitting], repeats: Sequence[WaitingRepeat]) -> list[Task]:
    tasks = [(sitting.batch, task) for sitting in sittings for task in _tasks(member, [sitting])]
    again = [(one.before_batch, Task(pair=one.pair, query=one.query, clip=one.clip)) for one in repeats]
    return placed_among(tasks, again)


def tasks_at_hand(member: Membership, sittings: Sequence[Sitting], *, without: int) -> list[Task] | None:
    """The next pairs after `without` was judged, from the seats already read; None if these offer too few."""
    if member.status != Membership.Status.ADMITTED or not all(sitting.live for sitting in sittings):
        return None
    if member.repeat_waits or not member.knows_guideline:
        return None
    tasks = _tasks(member, sittings, without)
    return tasks[:AT_HAND] if len(tasks) >= AT_HAND else None


def _tasks(member: Membership, sittings: Sequence[Sitting], without: int | None = None) -> list[Task]:
    return [
        Task(pair=pair.public_id, query=sitting.query, clip=pair.clip)
        for sitting in sittings
        for pair in pairs_for(member.pk, sitting.pairs)
        if pair.pk != without
    ]


def _keep_seat(member: Membership, sitting: Sitting, now: datetime) -> bool:
    """Renew a seat at which something is left, a new one in place of an expired one; end it otherwise."""
    until = now + timedelta(minutes=member.collection.seat_minutes)
    if not pairs_for(member.pk, sitting.pairs):
        end_seat(sitting, now=now)
        if not sitting.pairs:
            # Perhaps the last two pairs of a round were judged at the same moment: neither judgment saw itself as the
            # last.
            settle_batch(sitting.batch)
        return False
    if sitting.live:
        return renew_seat(sitting, until=until)
    # Its turn is lost: it comes back as the last one there, if places are left when nobody else can take any.
    end_seat(sitting, now=now)
    held = {pair.pk for pair in sitting.pairs}
    again = [pair for pair in sitting_at(member, sitting.batch).pairs if pair.pk in held]
    if not pairs_for(member.pk, again):
        return False
    sit_down(member, sitting.batch, again, now=now, until=until)
    return True


def _take_seats(member: Membership, now: datetime) -> Iterator[Sitting]:
    """Take seats one by one, as long as the caller asks for another and there is one."""
    until = now + timedelta(minutes=member.collection.seat_minutes)
    situation = situation_of(member)
    for batch_id in openings(member, situation, now):
        in_batch = hold_if_free(batch_id)
        if not in_batch:
            continue
        sitting = sitting_at(member, batch_id)
        portion = portion_for(
            member.pk,
            sitting.pairs,
            in_batch=in_batch,
            second_round=sitting.status == Batch.Status.SECOND_ROUND,
            sizes=situation.sizes,
            lot=f"{batch_id}:{now.isoformat()}",
        )
        if portion:
            sit_down(member, batch_id, portion, now=now, until=until)
            yield replace(sitting, pairs=portion, portioned=len(portion) < in_batch)


def keep_seats(*, member: Membership) -> None:
    """Renew the annotator's live seats, at a sign of life."""
    live_seats(member).update(expires_at=Now() + timedelta(minutes=member.collection.seat_minutes))


@transaction.atomic
def leave_seats(*, member: Membership) -> int:
    """End the annotator's seats: places are free at once, judgments stay. Returns how many seats ended."""
    return member.seats.filter(ended_at__isnull=True).update(ended_at=lock_member(member))


def give_up_seats(member: Membership) -> int:
    """End the seats of a member who judges no longer, which frees their places."""
    return leave_seats(member=member)


def live_seats(member: Membership) -> QuerySet[Seat]:
    """The annotator's seats that neither ended nor expired, first taken first."""
    return member.seats.filter(ended_at__isnull=True, expires_at__gt=Now()).order_by("pk")
