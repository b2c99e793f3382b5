"""Working time in practice and exam, on the same clock and within the same bounds as judging's (`paid_time.py`)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from annotation.judging.judgment_sql import begin_clock
from annotation.judging.paid_time import LONGEST_SECONDS, ClockState, book
from annotation.models import WorkClock
from corpus.models import Clip
from foundation.access.arrival_time import database_now
from foundation.models import Membership


@dataclass(frozen=True, slots=True)
class SaidTime:
    """What the page says of a grade's time: seconds of work, and seconds that it waited to be sent."""

    active: float | None = None
    waited: float = 0.0


@transaction.atomic
def arrive(*, member: Membership) -> None:
    """Note that somebody is here who wasn't a while ago: time before now is no work on what is sent now."""
    clock, now = _clock(member)
    if now - clock.until > timedelta(seconds=LONGEST_SECONDS):
        same_day = now.date() == clock.until.date()
        _move(clock, ClockState(now, clock.seconds if same_day else 0.0))


def work_on(*, member: Membership, moment_id: int, said: SaidTime | None) -> dict[str, Any]:
    """The fields of an answer that say what work on it took, and whether that is paid; none without `said`."""
    if said is None:
        return {}
    seconds = book_training(member=member, moment_id=moment_id, said=said)
    return {"active_seconds": seconds, "paid": member.collection.pay_training}


@transaction.atomic
def book_training(*, member: Membership, moment_id: int, said: SaidTime) -> float:
    """Book the work on one grade. Returns its seconds, >= 0: at most what the server saw pass, as for a judgment."""
    clock, now = _clock(member)
    booking = book(
        ClockState(clock.until, clock.seconds),
        served_at=clock.until,
        now=now,
        said_seconds=said.active,
        ago_seconds=said.waited,
        clip_seconds=Clip.objects.filter(moment_id=moment_id).values_list("duration", flat=True).first(),
        idle_seconds=member.collection.idle_seconds,
    )
    _move(clock, booking.clock)
    return booking.active_seconds


def _clock(member: Membership) -> tuple[WorkClock, datetime]:
    """The person's clock, locked, begun now if there was none; and the time by the database's clock."""
    assert member.account_id is not None, "who trains is logged in"
    clocks = WorkClock.objects.select_for_update().filter(account_id=member.account_id)
    clock = clocks.first()
    now = database_now()
    if clock is None:
        begin_clock(member, now)
        clock = clocks.get()
    return clock, now


def _move(clock: WorkClock, to: ClockState) -> None:
    WorkClock.objects.filter(pk=clock.pk).update(until=to.until, seconds=to.seconds)
