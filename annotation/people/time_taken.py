"""What judging took so far: seconds a judgment, what an hour was paid, judgments a pair."""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from annotation.models import Judgment, Pair
from annotation.people.pay import sum_of_pay
from annotation.people.timesheet import BEGINNING, WorkDay, work_days
from foundation.models import Collection

TIMED_HERE, TIMED_IN_STUDIES = "here", "studies"


@dataclass(frozen=True, slots=True)
class TimeTaken:
    """Seconds of paid work for each judgment that decides something, the mean rate of an hour (None: somebody had
    none), and where that was: in the collection or in its studies."""

    seconds: float
    rate: Decimal | None
    basis: str


def time_taken(collection: Collection) -> TimeTaken | None:
    """What judgments took in the collection, else in its studies; None before any was timed."""
    for basis, collections in ((TIMED_HERE, [collection]), (TIMED_IN_STUDIES, list(collection.studies.all()))):
        worked = days_worked(*collections)
        counted, seconds = sum(day.counted for day in worked), sum(day.seconds for day in worked)
        if counted and seconds:
            hours, paid = hours_and_pay(worked)
            return TimeTaken(seconds / counted, paid / hours if hours and paid is not None else None, basis)
    return None


def days_worked(*collections: Collection) -> list[WorkDay]:
    """All days on which somebody worked there."""
    today = datetime.now(UTC).date()
    return [day for where in collections for day in work_days(where, first=BEGINNING, last=today)]


def hours_and_pay(worked: list[WorkDay]) -> tuple[Decimal, Decimal | None]:
    """Paid hours and their pay; None where some of it has no rate."""
    return sum((day.hours for day in worked), Decimal(0)), sum_of_pay([day.pay for day in worked])


def judgments_a_pair(collection: Collection) -> float | None:
    """Counted judgments of each decided pair, both rounds; None before one is decided, or where none is kept."""
    decided = Pair.objects.filter(
        batch__collection=collection, status__in=[Pair.Status.CONSENSUS, Pair.Status.DISCARDED]
    )
    pairs = decided.count()
    return (Judgment.objects.filter(pair__in=decided, counted=True).count() / pairs or None) if pairs else None
