"""Hidden repeats, stored apart from judgments so that their grades can't count."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models.judging import Batch, Judgment, Pair, Used
from foundation.models import HIGHEST_GRADE, Membership


class Repeat(models.Model):
    """A pair given again to one annotator, under a `public_id` of its own, since the pair's would be recognised."""

    pair = models.ForeignKey(Pair, models.PROTECT, related_name="repeats")
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="repeats")
    first = models.ForeignKey(Judgment, models.PROTECT, related_name="+", help_text="What was said the first time.")
    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    before_batch = models.ForeignKey(
        Batch, models.PROTECT, null=True, related_name="+", help_text="It is shown before the pairs of this batch."
    )
    slipped_in_at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True, blank=True, help_text="When it was answered or flagged.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pair", "annotator"], name="one_repeat_a_pair_and_annotator"),
        ]
        indexes = [models.Index(fields=["annotator"], condition=Q(closed_at__isnull=True), name="repeat_that_waits")]


class RepeatAnswer(models.Model):
    """A repeat's grade. It is no judgment, and never deleted; it may be taken back."""

    repeat = models.ForeignKey(Repeat, models.PROTECT, related_name="answers")
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="repeat_answers")
    grade = models.PositiveSmallIntegerField()
    key = models.UUIDField(help_text="Made by the page: a request sent twice is one answer.")
    played = models.FloatField(null=True, blank=True)
    factors = models.JSONField(null=True, blank=True, help_text="What was answered to factors: {key: value}.")
    active_seconds = models.FloatField(null=True, blank=True, help_text="Work, and paid as such.")
    used = ArrayField(
        models.CharField(max_length=9, choices=Used.choices),
        null=True,
        blank=True,
        help_text="As of a judgment.",
    )
    decided_at = models.DateTimeField()
    given_at = models.DateTimeField(default=timezone.now)
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["repeat"], condition=Q(taken_back_at__isnull=True), name="one_standing_answer_a_repeat"
            ),
            models.UniqueConstraint(fields=["annotator", "key"], name="one_repeat_answer_a_key"),
            models.CheckConstraint(condition=Q(grade__lte=HIGHEST_GRADE), name="repeat_answer_grade"),
        ]
        indexes = [models.Index(fields=["annotator", "-given_at"])]
