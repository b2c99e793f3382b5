"""Spans that annotators marked with their judgments, and those that a lead has set."""

from django.db import models
from django.db.models import F, Q

from annotation.models.judging import Judgment, Pair
from annotation.models.review import Ruling, ruling_constraints


class JudgedSpan(models.Model):
    """The stretch of its moment to which a judgment says that it fits, in seconds of the video. No row: all of it."""

    judgment = models.OneToOneField(Judgment, models.CASCADE, related_name="span", primary_key=True)
    start = models.FloatField()
    end = models.FloatField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(start__gte=0, end__gt=F("start")), name="judged_span_ends_after_start"),
        ]


class SpanRuling(Ruling):
    """The lead's own start and end for a pair on which annotators didn't agree, in seconds of the video."""

    pair = models.ForeignKey(Pair, models.PROTECT, related_name="span_rulings")
    start = models.FloatField()
    end = models.FloatField()

    class Meta:
        constraints = [
            *ruling_constraints("span_ruling"),
            models.CheckConstraint(condition=Q(start__gte=0, end__gt=F("start")), name="span_ruling_ends_after_start"),
        ]
