"""Who worked how long, by day, and what it earns: from the judgments themselves and the lead's corrections."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal

from django.core.exceptions import ValidationError
from django.db.models import Count, Sum
from django.db.models.functions import TruncDate

from annotation.models import Judgment, RateChange, RepeatAnswer, TimeCorrection
from annotation.terms import rate_on
from corpus.models import Collection, Membership

CENT = Decimal("0.01")
HEADINGS = ("worker", "day", "judgments", "active_seconds", "corrected_seconds", "hours", "rate", "currency", "pay")


@dataclass(frozen=True, slots=True)
class WorkDay:
    """One person's day (UTC). Every judgment is work, also one taken back or come too late; so is a hidden repeat.

    `active` and `corrected` are seconds; `pay` is None where there is no rate.
    """

    worker: str
    member: int
    day: date
    judgments: int
    active: float
    corrected: int
    rate: Decimal | None
    currency: str

    @property
    def seconds(self) -> float:
        """What counts, >= 0."""
        return max(0.0, self.active + self.corrected)

    @property
    def hours(self) -> Decimal:
        """To a hundredth, as it is paid."""
        return (Decimal(round(self.seconds)) / 3600).quantize(CENT, ROUND_HALF_UP)

    @property
    def pay(self) -> Decimal | None:
        return None if self.rate is None else (self.hours * self.rate).quantize(CENT, ROUND_HALF_UP)

    def as_row(self) -> tuple[object, ...]:
        """In the order of HEADINGS."""
        return (
            self.worker,
            self.day.isoformat(),
            self.judgments,
            round(self.active),
            self.corrected,
            self.hours,
            "" if self.rate is None else self.rate,
            self.currency,
            "" if self.pay is None else self.pay,
        )


def work_days(collection: Collection, *, first: date, last: date, member: Membership | None = None) -> list[WorkDay]:
    """Every day on which somebody judged or was corrected, newest first. Five SQL queries."""
    people = {one.pk: one for one in collection.memberships.all() if member is None or one.pk == member.pk}
    judged, repeated = (
        given.objects.filter(annotator__in=people, decided_at__gte=_begins(first), decided_at__lte=_ends(last))
        .annotate(day=TruncDate("decided_at"))
        .values_list("annotator_id", "day")
        .annotate(Count("pk"), Sum("active_seconds"))
        .order_by()
        for given in (Judgment, RepeatAnswer)
    )
    corrected = (
        TimeCorrection.objects.filter(annotator__in=people, day__gte=first, day__lte=last)
        .values_list("annotator_id", "day")
        .annotate(Sum("seconds"))
        .order_by()
    )
    figures: dict[tuple[int, date], tuple[int, float, int]] = {
        (person, day): (count, active or 0.0, 0) for person, day, count, active in judged
    }
    for person, day, again, active in repeated:
        count, before, _ = figures.get((person, day), (0, 0.0, 0))
        figures[person, day] = count + again, before + (active or 0.0), 0
    for person, day, seconds in corrected:
        count, active, _ = figures.get((person, day), (0, 0.0, 0))
        figures[person, day] = count, active, seconds
    changes: dict[int, list[RateChange]] = {}
    for change in RateChange.objects.filter(member__in=people).order_by("pk"):
        changes.setdefault(change.member_id, []).append(change)

    def rate(person: int, day: date) -> Decimal | None:
        own = rate_on(day, changes.get(person, ()), people[person].pay_per_hour)
        return own if own is not None else collection.pay_per_hour

    days = [
        WorkDay(
            worker=people[person].worker,
            member=person,
            day=day,
            judgments=count,
            active=active,
            corrected=seconds,
            rate=rate(person, day),
            currency=collection.currency,
        )
        for (person, day), (count, active, seconds) in figures.items()
    ]
    return sorted(days, key=lambda one: (-one.day.toordinal(), one.worker))


def _begins(day: date) -> datetime:
    """Compared as a time: a date would be made of every judgment."""
    return datetime.combine(day, time.min, tzinfo=UTC)


def _ends(day: date) -> datetime:
    return datetime.combine(day, time.max, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class WorkTotal:
    """A person's sum over the days shown; the sum of what each day pays."""

    worker: str
    member: int
    days: int
    judgments: int
    hours: Decimal
    pay: Decimal | None
    currency: str

    @property
    def per_hour(self) -> int | None:
        """Judgments an hour."""
        return round(self.judgments / float(self.hours)) if self.hours else None


def totals(days: Iterable[WorkDay]) -> list[WorkTotal]:
    """One a person, by worker id."""
    by_person: dict[int, list[WorkDay]] = {}
    for one in days:
        by_person.setdefault(one.member, []).append(one)
    found = [
        WorkTotal(
            worker=own[0].worker,
            member=person,
            days=len(own),
            judgments=sum(one.judgments for one in own),
            hours=sum((one.hours for one in own), Decimal(0)),
            pay=None
            if any(one.pay is None for one in own)
            else sum((one.pay or Decimal(0) for one in own), Decimal(0)),
            currency=own[0].currency,
        )
        for person, own in by_person.items()
    ]
    return sorted(found, key=lambda one: one.worker)


def correct_time(*, lead: Membership, member_id: int, day: date, minutes: int, reason: str) -> TimeCorrection:
    """Add minutes to a person's day, or take them from it.

    Raises: ValidationError for nobody of this collection, no minutes, more than a day, a day to come or no reason.
    """
    member = Membership.objects.filter(pk=member_id, collection=lead.collection_id).first()
    if member is None:
        raise ValidationError("There is nobody of that number in this collection.")
    if day > date.today() + timedelta(days=1):
        raise ValidationError(f"found the day {day}, expected one that has begun")
    correction = TimeCorrection(annotator=member, day=day, seconds=minutes * 60, reason=reason.strip(), made_by=lead)
    correction.full_clean()
    correction.save()
    return correction
