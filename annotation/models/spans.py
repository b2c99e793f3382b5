"""Spans that annotators marked with their judgments."""

from django.db import models
from django.db.models import F, Q

from annotation.models.judging import Judgment


class JudgedSpan(models.Model):
    """The stretch of its moment to which a judgment says that it fits, in seconds of the video. No row: all of it."""

    judgment = models.OneToOneField(Judgment, models.CASCADE, related_name="span", primary_key=True)
    start = models.FloatField()
    end = models.FloatField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(start__gte=0, end__gt=F("start")), name="judged_span_ends_after_start"),
        ]
