"""Working time and pay: clocks, corrections, rates."""

from django.db import models
from django.db.models import Q

from foundation.models import Account, Membership


class TimeCorrection(models.Model):
    """Seconds that a lead adds to or takes from a person's day, and why. A mistake is corrected by another row."""

    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="time_corrections")
    day = models.DateField()
    seconds = models.IntegerField()
    reason = models.TextField()
    made_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(seconds=0) & Q(seconds__gte=-86400, seconds__lte=86400), name="time_correction_seconds"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="time_correction_has_a_reason"),
        ]
        indexes = [models.Index(fields=["annotator", "day"])]


class RateChange(models.Model):
    """A person's pay rate from a day on; earlier days keep theirs. Rows never change.

    Of several that reach a day the one that was entered last counts. A rate of null is the collection's.
    """

    member = models.ForeignKey(Membership, models.PROTECT, related_name="rate_changes")
    before = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    after = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    since = models.DateField(help_text="The first day (UTC) of the new rate.")
    changed_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(after__isnull=True) | Q(after__gte=0), name="rate_change_rate"),
        ]


class WorkClock(models.Model):
    """Up to when a person's time is accounted for (`judging/paid_time.py`): every judgment in any collection moves it.

    Of the account and not of the membership: nobody works on two collections in the same minute.
    """

    account = models.OneToOneField(Account, models.CASCADE, primary_key=True, related_name="work_clock")
    until = models.DateTimeField(help_text="By the database's clock: no time before it is ever booked again.")
    seconds = models.FloatField(default=0, help_text="Booked on the day (UTC) of `until`.")
