"""Working time beyond what the judgments say."""

from django.db import models
from django.db.models import Q

from corpus.models import Membership


class TimeCorrection(models.Model):
    """Seconds that the lead adds to, or takes from, a person's day, and why. A wrong one is countered by another."""

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
