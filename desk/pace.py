"""Judgments per day, pay so far, and who is at work."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from django.db.models import Count, Max
from django.utils import timezone

from annotation.models import Seat
from annotation.people.pay import sum_of_pay
from annotation.people.timesheet import BEGINNING, WorkDay, work_days
from desk.backlog import Backlog
from desk.forecast import Forecast, forecast, judgments_left
from foundation.models import Collection

WINDOW = 7
"""Days that the present pace is taken from, today included."""
SHOWN = 30
"""Days in the chart."""


@dataclass(frozen=True, slots=True)
class Day:
    """Counted judgments decided on a day (UTC), and by how many people."""

    day: date
    judgments: int
    people: int


@dataclass(frozen=True, slots=True)
class Pace:
    """Judgments of the last SHOWN days, total pay (None without a rate), and the forecast."""

    days: list[Day]
    today: int
    hours: Decimal
    paid: Decimal | None
    currency: str
    forecast: Forecast


def pace(collection: Collection, standing: Backlog, *, now: datetime | None = None) -> Pace:
    """Five SQL queries. All work is paid: also what was taken back or came too late, and hidden repeats. The days and
    the forecast count the judgments that decide something."""
    now = now or timezone.now()
    today = now.date()
    worked = work_days(collection, first=BEGINNING, last=today)
    paid = sum_of_pay([day.pay for day in worked])
    recent = [day for day in worked if day.day > today - timedelta(days=WINDOW)]
    expected = forecast(
        left=judgments_left(standing.work),
        judged=sum(day.counted for day in recent),
        days=_elapsed(recent, now),
        today=today,
        paid=paid,
        recently_paid=pay_for_judging(recent),
    )
    if expected.left and standing.staffing.lacking:
        # At whatever pace, these people won't end it.
        expected = replace(expected, days=None, ends=None)
    by_day: dict[date, list[WorkDay]] = {}
    for work_day in worked:
        by_day.setdefault(work_day.day, []).append(work_day)
    days = []
    for back in range(SHOWN - 1, -1, -1):
        day = today - timedelta(days=back)
        own = by_day.get(day, [])
        days.append(Day(day, sum(each.counted for each in own), sum(each.counted > 0 for each in own)))
    hours = sum((day.hours for day in worked), Decimal(0))
    return Pace(days, days[-1].judgments, hours, paid, collection.currency, expected)


def _elapsed(recent: list[WorkDay], now: datetime) -> float:
    """Days since the first recent day with a judgment began, at least one."""
    judged = [day.day for day in recent if day.counted]
    if not judged:
        return float(WINDOW)
    begun = datetime.combine(min(judged), time.min, tzinfo=now.tzinfo)
    return max(1.0, (now - begun) / timedelta(days=1))


def pay_for_judging(days: list[WorkDay]) -> Decimal | None:
    """Without that for training: who is trained has been, so what is left to judge costs none."""
    return sum_of_pay([day.judging_pay for day in days])


@dataclass(frozen=True, slots=True)
class AtWork:
    """An annotator with live seats: how many, and since when."""

    worker: str
    seats: int
    since: datetime


def at_work(collection: Collection) -> list[AtWork]:
    """Annotators with a live seat, latest first. One SQL query."""
    rows = (
        Seat.objects.filter(annotator__collection=collection, ended_at__isnull=True, expires_at__gt=timezone.now())
        .values("annotator__worker")
        .annotate(seats=Count("pk"), since=Max("taken_at"))
        .order_by("-since")
        .values_list("annotator__worker", "seats", "since")
    )
    return [AtWork(worker, seats, since) for worker, seats, since in rows]
