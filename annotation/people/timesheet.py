"""Working time and pay by day, from judgments, practice and exam, and the lead's corrections."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet, Sum, Value
from django.db.models.functions import TruncDate
from django.utils.translation import gettext

from annotation.models import ExamAnswer, Judgment, PracticeAnswer, RepeatAnswer, TimeCorrection
from annotation.people.mails import TIME
from annotation.people.pay import hours_of, pay_for, rate_changes, rate_on
from foundation.mail.outbox import tell
from foundation.models import Collection, Membership

BEGINNING = date(2000, 1, 1)
"""Before anybody worked."""
SUMMED = ("judgments", "counted", "active", "corrected", "training", "paid_training")
HEADINGS = (
    "worker",
    "day",
    "judgments",
    "active_seconds",
    "corrected_seconds",
    "hours",
    "rate",
    "currency",
    "pay",
    "training_seconds",
    "paid_training_seconds",
)


@dataclass(frozen=True, slots=True)
class WorkDay:
    """One person's day (UTC). All judging is work, also what came late or was taken back, and hidden repeats.

    `judgments` are `Judgment.TOLD` and repeats, `counted` those of the judgments that decide something. `active`,
    `corrected` and `training` are seconds, and `paid_training` those of the training that are paid; `pay` is None where
    there is no rate.
    """

    worker: str
    member: int
    day: date
    judgments: int
    counted: int
    active: float
    corrected: int
    rate: Decimal | None
    currency: str
    training: float = 0.0
    paid_training: float = 0.0

    @property
    def seconds(self) -> float:
        """Paid seconds, >= 0."""
        return max(0.0, self.active + self.paid_training + self.corrected)

    @property
    def judging_hours(self) -> Decimal:
        """Paid hours without training, to a hundredth."""
        return hours_of(max(0.0, self.active + self.corrected))

    @property
    def hours(self) -> Decimal:
        """Paid hours, to a hundredth."""
        return hours_of(self.seconds)

    @property
    def pay(self) -> Decimal | None:
        return pay_for(self.hours, self.rate)

    @property
    def judging_pay(self) -> Decimal | None:
        """Pay without that for training."""
        return pay_for(self.judging_hours, self.rate)

    def as_row(self) -> tuple[object, ...]:
        """The day as a CSV row, in the order of HEADINGS."""
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
            round(self.training),
            round(self.paid_training),
        )


def work_days(collection: Collection, *, first: date, last: date, member: Membership | None = None) -> list[WorkDay]:
    """Every day on which somebody judged, trained or was corrected, newest first. Five SQL queries."""
    people = {person.pk: person for person in collection.memberships.all() if member is None or person.pk == member.pk}
    asked = {"annotator__in": people, "decided_at__gte": _begins(first), "decided_at__lte": _ends(last)}
    judged = _by_day(Judgment.objects.filter(**asked), Judgment.TOLD, deciding=Count("pk", filter=Q(counted=True)))
    # Hidden repeats are work as well, and no judgments.
    repeated = _by_day(RepeatAnswer.objects.filter(**asked), Q(taken_back_at=None), deciding=Value(0))
    corrected = (
        TimeCorrection.objects.filter(annotator__in=people, day__gte=first, day__lte=last)
        .values_list("annotator_id", "day")
        .annotate(Sum("seconds"))
        .order_by()
    )
    trained = _trained(people, first, last)
    figures: dict[tuple[int, date], dict[str, Any]] = {}

    def add(person: int, day: date, **more: float | None) -> None:
        own = figures.setdefault((person, day), dict.fromkeys(SUMMED, 0))
        for name, figure in more.items():
            own[name] += figure or 0

    for person, day, number, active, counted in judged.union(repeated, all=True):
        add(person, day, judgments=number, counted=counted, active=active)
    for person, day, seconds in corrected:
        add(person, day, corrected=seconds)
    for person, day, active, due in trained:
        add(person, day, training=active, paid_training=due)
    changes = rate_changes(collection, people.values())

    def rate(person: int, day: date) -> Decimal | None:
        own = rate_on(day, changes.get(people[person].worker, ()), people[person].pay_per_hour)
        return own if own is not None else collection.pay_per_hour

    days = [
        WorkDay(
            worker=people[person].worker,
            member=person,
            day=day,
            rate=rate(person, day),
            currency=collection.currency,
            **own,
        )
        for (person, day), own in figures.items()
    ]
    return sorted(days, key=lambda day: (-day.day.toordinal(), day.worker))


def _by_day(given: QuerySet[Any], counted: Q, *, deciding: Any) -> QuerySet[Any]:
    """(person, day, number of those told, seconds of all, number of those that decide something), grouped by day."""
    judged = given.annotate(day=TruncDate("decided_at")).values_list("annotator_id", "day").order_by()
    by_day: QuerySet[Any] = judged.annotate(
        number=Count("pk", filter=counted), seconds=Sum("active_seconds"), deciding=deciding
    )
    return by_day


def _trained(people: Iterable[int], first: date, last: date) -> QuerySet[Any]:
    """(person, day, seconds, paid seconds) of practice and of exam, a row each, grouped by day."""
    # None of what was graded before its time was recorded, or without a page.
    asked = {"active_seconds__isnull": False, "given_at__gte": _begins(first), "given_at__lte": _ends(last)}

    def by_day(given: QuerySet[Any], person: str) -> QuerySet[Any]:
        seconds = {"seconds": Sum("active_seconds"), "due": Sum("active_seconds", filter=Q(paid=True))}
        days = given.annotate(person=F(person), day=TruncDate("given_at")).values_list("person", "day")
        rows: QuerySet[Any] = days.annotate(**seconds).order_by()
        return rows

    practised = by_day(PracticeAnswer.objects.filter(annotator__in=people, **asked), "annotator_id")
    examined = by_day(ExamAnswer.objects.filter(sitting__applicant__in=people, **asked), "sitting__applicant_id")
    return practised.union(examined, all=True)


def _begins(day: date) -> datetime:
    """The start of a day, to compare timestamps with: casting each judgment's to a date would be slow."""
    return datetime.combine(day, time.min, tzinfo=UTC)


def _ends(day: date) -> datetime:
    return datetime.combine(day, time.max, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class WorkTotal:
    """A person's totals over the days shown; pay is the sum of the days' pay."""

    worker: str
    member: int
    days: int
    judgments: int
    hours: Decimal
    pay: Decimal | None
    currency: str
    judging_hours: Decimal
    training: float

    @property
    def per_hour(self) -> int | None:
        """Judgments an hour of judging."""
        return round(self.judgments / float(self.judging_hours)) if self.judging_hours else None


def totals(days: Iterable[WorkDay]) -> list[WorkTotal]:
    """One total per person, by worker id."""
    by_person: dict[int, list[WorkDay]] = {}
    for day in days:
        by_person.setdefault(day.member, []).append(day)
    sums = [_total(own, own[0].worker, person) for person, own in by_person.items()]
    return sorted(sums, key=lambda total: total.worker)


def all_together(days: list[WorkDay]) -> WorkTotal | None:
    """The total of everybody's days; without pay if a day has none or currencies differ. None without any day."""
    return _total(days, "", 0) if days else None


def _total(days: list[WorkDay], worker: str, member: int) -> WorkTotal:
    pays = [day.pay for day in days if day.pay is not None]
    payable = len(pays) == len(days) and len({day.currency for day in days}) == 1
    return WorkTotal(
        worker=worker,
        member=member,
        days=len(days),
        judgments=sum(day.judgments for day in days),
        hours=sum((day.hours for day in days), Decimal(0)),
        pay=sum(pays, Decimal(0)) if payable else None,
        currency=days[0].currency,
        judging_hours=sum((day.judging_hours for day in days), Decimal(0)),
        training=sum(day.training for day in days),
    )


def correct_time(*, lead: Membership, member_id: int, day: date, minutes: int, reason: str) -> TimeCorrection:
    """Add minutes to a person's day, or take them from it.

    Raises: ValidationError for nobody of this collection, no minutes, more than a day, a day to come or no reason.
    """
    member = Membership.objects.filter(pk=member_id, collection=lead.collection_id).first()
    if member is None:
        raise ValidationError(gettext("There is no such person in this collection."))
    if day > date.today() + timedelta(days=1):
        raise ValidationError(gettext("Found the day %(day)s, expected a day that has begun.") % {"day": day})
    correction = TimeCorrection(annotator=member, day=day, seconds=minutes * 60, reason=reason.strip(), made_by=lead)
    correction.full_clean()
    with transaction.atomic():
        correction.save()
        tell(TIME, [member.account_id], collection=lead.collection, correction=correction.pk)
    return correction
