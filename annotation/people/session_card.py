"""What somebody did since they sat down: judgments, time and pay, as the timesheet has them."""

from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

from django.db.models import Count, Sum
from django.utils import timezone

from annotation.models import Judgment, RepeatAnswer
from annotation.people.pay import CENT, rate_of
from foundation.models import Membership

SHORTEST_PACE = 60
"""Seconds of work before a pace is shown."""


@dataclass(frozen=True, slots=True)
class WorkSession:
    """Judgments that stand, seconds of work (also on what was taken back), and pay (None without a rate)."""

    judged: int
    seconds: float
    pay: Decimal | None
    currency: str

    @property
    def per_hour(self) -> int | None:
        """Judgments an hour; None before there is a pace."""
        return round(self.judged / self.seconds * 3600) if self.seconds >= SHORTEST_PACE else None


def session_since(member: Membership, since: datetime) -> WorkSession:
    """The member's work decided at `since` or later, hidden repeats included: a figure that stood still would tell."""
    asked = {"annotator": member, "decided_at__gte": since}
    judgments = Judgment.objects.filter(Judgment.TOLD, **asked)
    repeats = RepeatAnswer.objects.filter(**asked, taken_back_at=None)
    judged = sum(rows.aggregate(number=Count("pk"))["number"] for rows in (judgments, repeats))
    worked = (kind.objects.filter(**asked).aggregate(worked=Sum("active_seconds")) for kind in (Judgment, RepeatAnswer))
    seconds = sum(total["worked"] or 0.0 for total in worked)
    rate = rate_of(member, timezone.now().date())
    pay = None if rate is None else (Decimal(round(seconds)) * rate / 3600).quantize(CENT, ROUND_HALF_UP)
    return WorkSession(judged, seconds, pay, member.collection.currency)
