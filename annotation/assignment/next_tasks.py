"""The next pairs for an annotator: find or take a seat at a batch, list what is left to judge there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from annotation.assignment.assignment_policy import pairs_for, portion_for
from annotation.assignment.gold import gives_gold
from annotation.assignment.open_batches import openings, situation_of
from annotation.assignment.seat_sql import (
    Sitting,
    end_seats,
    hold_free,
    hold_my_batches,
    lock_member,
    renew_seats,
    seat_expiry,
    sit_down,
    sittings_at,
    sittings_of,
)
from annotation.assignment.session_targets import has_no_more_work
from annotation.assignment.slipped_in import SlippedIn, slip_in, waiting_tasks
from annotation.assignment.slipped_in_rule import placed_among
from annotation.batches.transitions import settle_batch
from annotation.models import Batch, Seat
from foundation.models import Membership

AT_HAND = 4
"""Pairs that an annotator is sent at a time: the one to judge, and those that the page loads ahead."""
AHEAD = 20
"""With fewer than AT_HAND left, portions are taken until there are so many: finding work costs more than judging."""
AT_A_TIME = 6
"""Batches that are locked and read together: about as many as have so many pairs in their portions."""


@dataclass(frozen=True, slots=True)
class Task:
    """All that an annotator's page learns about a pair. `clip` is None if the collection has no clips; `narrative` is
    what the query's author says of it, or ""; `medium` the picture, clip or sound that is the query, as
    `QueryMedium.shown_as`, instead of words where `query` is "". `content`: what its video has that
    somebody may not want to see."""

    pair: str
    query: str
    clip: str | None
    narrative: str = ""
    medium: str | None = None
    content: Sequence[str] = ()


@transaction.atomic
def next_tasks(*, member: Membership, ahead: int = AT_HAND) -> list[Task]:
    """The pairs to judge now, best first: what is left at the annotator's own seats, then at a new one.

    Takes seats when fewer than `ahead` pairs are at hand, so that the next query's clips are loaded before this one is
    done; ends seats at which nothing is left. Empty when there is nothing to do, or the member isn't admitted. Who has
    a new guideline or consent text to confirm goes on at the seats that are live, and gets others only
    once it is confirmed: a version published meanwhile breaks nobody's sitting off.

    Args: ahead: how many pairs are given at most, at least AT_HAND.
    """
    now = lock_member(member)
    if member.status != Membership.Status.ADMITTED or not member.old_enough:
        return []
    if member.recruited and has_no_more_work(member):
        # Their places are others' at once: nobody waits for who has done what they came for.
        live_seats(member).update(ended_at=now)
        return []
    sittings = sittings_of(member)
    if not member.may_sit_down and not any(sitting.live for sitting in sittings):
        return []
    if not all(sitting.live and not sitting.over for sitting in sittings):
        # Who sits down again takes a place, and a round that ended is settled: nobody else may be at it meanwhile.
        hold_my_batches(member)
        # Read anew under these locks: a round that ended while we waited for them has ended its seats.
        now = lock_member(member)
        sittings = sittings_of(member)
    kept = _keep_seats(member, sittings, now)
    at_hand = len(_tasks(member, kept))
    if at_hand < ahead and member.may_sit_down and not has_withdrawn(member):
        taken = _take_seats(member, at_hand, now, ahead)
        slip_in(member=member, taken=[(seat.batch, len(_tasks(member, [seat]))) for seat in taken], now=now)
        kept += taken
    waiting = waiting_tasks(member)
    tasks = _with_slipped_in(member, kept, waiting) if waiting else _tasks(member, kept)
    return tasks[:ahead]


def has_withdrawn(member: Membership) -> bool:
    """Whether somebody has withdrawn their consent since the request began. One SQL query where there is a text."""
    if not member.collection.consent_version:
        return False
    return Membership.objects.filter(pk=member.pk, consent_withdrawn_at__isnull=False).exists()


def _with_slipped_in(member: Membership, sittings: Sequence[Sitting], waiting: Sequence[SlippedIn]) -> list[Task]:
    tasks = [(sitting.batch, task) for sitting in sittings for task in _tasks(member, [sitting])]
    more = [
        (one.before_batch, Task(one.pair, one.query, one.clip, one.narrative, one.medium, one.content))
        for one in waiting
    ]
    return placed_among(tasks, more)


def tasks_at_hand(member: Membership, sittings: Sequence[Sitting]) -> list[Task] | None:
    """The next pairs, if the seats as read offer enough; else None: ask `next_tasks`."""
    # Where gold is given, every answer goes the longer way, or its time would tell what comes.
    if gives_gold(member.collection):
        return None
    if member.status != Membership.Status.ADMITTED or not member.old_enough:
        return None
    if member.repeat_waits or not member.may_sit_down:
        return None
    tasks = _tasks(member, sittings)
    if len(tasks) < AT_HAND or (member.recruited and has_no_more_work(member)):
        return None
    return tasks[:AT_HAND]


def _tasks(member: Membership, sittings: Sequence[Sitting]) -> list[Task]:
    return [
        Task(pair.public_id, sitting.query, pair.clip, sitting.narrative, sitting.medium, pair.content)
        for sitting in sittings
        for pair in pairs_for(member.pk, sitting.pairs)
    ]


def _keep_seats(member: Membership, sittings: Sequence[Sitting], now: datetime) -> list[Sitting]:
    """Renew the seats at which something is left, with new ones in place of expired ones; end the others."""
    until = seat_expiry(member, now)
    left = [sitting for sitting in sittings if pairs_for(member.pk, sitting.pairs)]
    renewed = renew_seats([sitting for sitting in left if sitting.live], until=until)
    stays = {sitting.seat for sitting in left if sitting.live}
    end_seats([sitting for sitting in sittings if sitting.seat not in stays], now=now)
    for sitting in sittings:
        if sitting.over:
            # Perhaps the last two pairs of a round were judged at the same moment: neither judgment saw itself as the
            # last.
            settle_batch(sitting.batch)
    # The turn of an expired one is lost: it comes back as the last one there, if places are left when nobody else can
    # take any.
    expired = [sitting for sitting in left if not sitting.live]
    by_batch = sittings_at(member, [sitting.batch for sitting in expired])
    again = [
        replace(sitting, pairs=[pair for pair in by_batch[sitting.batch].pairs if pair.pk in held])
        for sitting, held in ((sitting, {pair.pk for pair in sitting.pairs}) for sitting in expired)
    ]
    taken = [sitting for sitting in again if pairs_for(member.pk, sitting.pairs)]
    sit_down(member, taken, now=now, until=until)
    return [sitting for sitting in left if sitting.seat in renewed] + taken


def _take_seats(member: Membership, at_hand: int, now: datetime, ahead: int) -> list[Sitting]:
    """Sit down at the best batches that nobody else is just sitting down at, until enough pairs are at hand.

    Whoever is told of AHEAD pairs or more has so many whatever their rounds are: their number tells nothing.
    """
    until = seat_expiry(member, now)
    situation = situation_of(member)
    batches = openings(member, situation, now)
    taken: list[Sitting] = []
    enough = False
    while not enough and (some := list(islice(batches, AT_A_TIME))):
        sizes = hold_free(some)
        by_batch = sittings_at(member, sizes)
        chosen = []
        for batch in (batch for batch in some if batch in sizes):
            sitting, size = by_batch[batch], sizes[batch]
            portion = portion_for(
                member.pk,
                sitting.pairs,
                in_batch=size,
                second_round=sitting.status == Batch.Status.SECOND_ROUND,
                sizes=situation.sizes,
                lot=f"{batch}:{now.isoformat()}",
            )
            if portion:
                chosen.append(replace(sitting, pairs=portion))
                at_hand += len(pairs_for(member.pk, portion))
                enough = at_hand >= (max(AHEAD, ahead) if len(portion) < size else ahead)
                if enough:
                    break
        sit_down(member, chosen, now=now, until=until)
        taken += chosen
    return taken


def keep_seats(*, member: Membership) -> None:
    """Renew the annotator's live seats, at a sign of life."""
    live_seats(member).update(expires_at=seat_expiry(member, Now()))


@transaction.atomic
def leave_seats(*, member: Membership) -> int:
    """End the annotator's seats: places are free at once, judgments stay. Returns how many seats ended."""
    return member.seats.filter(ended_at__isnull=True).update(ended_at=lock_member(member))


def live_seats(member: Membership) -> QuerySet[Seat]:
    """The annotator's seats that neither ended nor expired, first taken first."""
    return member.seats.filter(ended_at__isnull=True, expires_at__gt=Now()).order_by("pk")
