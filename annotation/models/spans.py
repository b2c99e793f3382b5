"""Spans that annotators marked with their judgments, and those that a lead has set."""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from annotation.models.judging import Judgment, Pair
from foundation.models import Membership


class JudgedSpan(models.Model):
    """The stretch of its moment to which a judgment says that it fits, in seconds of the video. No row: all of it."""

    judgment = models.OneToOneField(Judgment, models.CASCADE, related_name="span", primary_key=True)
    start = models.FloatField()
    end = models.FloatField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(start__gte=0, end__gt=F("start")), name="judged_span_ends_after_start"),
        ]


class SpanRuling(models.Model):
    """The lead's own start and end for a pair on which annotators didn't agree, in seconds of the video."""

    pair = models.ForeignKey(Pair, models.PROTECT, related_name="span_rulings")
    start = models.FloatField()
    end = models.FloatField()
    decided_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(default=timezone.now)
    withdrawn_by = models.ForeignKey(Membership, models.PROTECT, null=True, blank=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pair"], condition=Q(withdrawn_at__isnull=True), name="one_standing_span_ruling_a_pair"
            ),
            models.CheckConstraint(condition=Q(start__gte=0, end__gt=F("start")), name="span_ruling_ends_after_start"),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True, withdrawn_by__isnull=True)
                | Q(withdrawn_at__isnull=False, withdrawn_by__isnull=False),
                name="span_ruling_withdrawn_as_a_whole",
            ),
        ]
