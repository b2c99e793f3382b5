"""What a deleted collection loses of its people's work."""

from datetime import UTC, datetime
from decimal import Decimal

from django.utils.translation import ngettext_lazy

from annotation.models import Judgment, MachineJudgment
from annotation.people.timesheet import BEGINNING, work_days
from foundation.deletion.hooks import Loss
from foundation.models import Collection, Purpose


def judgments_lost(collection: Collection) -> list[Loss]:
    """Its judgments and its studies', and what machines said."""
    studies = collection.studies.exclude(purpose=Purpose.GOLD)
    count = Judgment.objects.filter(annotator__collection__in=_with_studies(collection)).count()
    return [
        Loss(count, ngettext_lazy("%(count)s judgment", "%(count)s judgments", "number")),
        Loss(
            MachineJudgment.objects.filter(judge__collection=collection).count(),
            ngettext_lazy("%(count)s grade of machine judges", "%(count)s grades of machine judges", "number"),
        ),
        Loss(studies.count(), ngettext_lazy("%(count)s study", "%(count)s studies", "number")),
    ]


def paid_work_lost(collection: Collection) -> str:
    """What to agree to where work was paid: its sheets are what payments are checked by."""
    today = datetime.now(UTC).date()
    worked = [day for where in _with_studies(collection) for day in work_days(where, first=BEGINNING, last=today)]
    pay = sum((day.pay for day in worked if day.pay is not None), Decimal(0))
    if not pay:
        return ""
    hours = sum((day.hours for day in worked), Decimal(0))
    return (
        f"{hours:,.1f} hours of work for {collection.currency} {pay:,.2f} are recorded here. I have downloaded what I "
        "need of Time and pay."
    )


def _with_studies(collection: Collection) -> list[Collection]:
    return [collection, *collection.studies.all()]
