"""What is slipped in among somebody's work, hidden repeats and gold: apart from judgments, so that it can't count."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy

from annotation.models.judging import Batch, Judgment, Pair, Used
from foundation.models import HIGHEST_GRADE, Collection, Membership


class GoldPair(models.Model):
    """A decided pair whose grade is known: given to people who never judged it, it says how well they grade.

    One that is taken off the list is given to nobody any more; what was answered stays.
    """

    class Source(models.TextChoices):
        DECIDED = "decided", gettext_lazy("decided by people")
        ADJUDICATED = "adjudicated", gettext_lazy("adjudicated")
        LEAD = "lead", gettext_lazy("graded by the lead")

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="gold_pairs", db_index=False)
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="gold")
    grade = models.PositiveSmallIntegerField(help_text="The known one.")
    explanation = models.TextField(blank=True, help_text="Why; shown with the known grade where answers are told it.")
    source = models.CharField(max_length=11, choices=Source.choices)
    added_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    added_at = models.DateTimeField(default=timezone.now)
    removed_by = models.ForeignKey(Membership, models.PROTECT, null=True, blank=True, related_name="+")
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pair"], condition=Q(removed_at__isnull=True), name="one_gold_that_is_given_a_pair"
            ),
            models.CheckConstraint(
                condition=Q(removed_at__isnull=True, removed_by__isnull=True)
                | Q(removed_at__isnull=False, removed_by__isnull=False),
                name="gold_removed_as_a_whole",
            ),
            models.CheckConstraint(condition=Q(source__in=["decided", "adjudicated", "lead"]), name="gold_source"),
        ]
        indexes = [models.Index(fields=["collection", "-id"], name="gold_of_collection")]


class Repeat(models.Model):
    """A decided pair given once more, to somebody who judged it or as gold to somebody who didn't, under a `public_id`
    of its own, since the pair's would be recognised."""

    pair = models.ForeignKey(Pair, models.PROTECT, related_name="repeats")
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="repeats")
    first = models.ForeignKey(
        Judgment, models.PROTECT, null=True, related_name="+", help_text="What was said the first time; empty: gold."
    )
    gold = models.ForeignKey(GoldPair, models.PROTECT, null=True, blank=True, related_name="given")
    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    before_batch = models.ForeignKey(
        Batch, models.PROTECT, null=True, related_name="+", help_text="It is shown before the pairs of this batch."
    )
    slipped_in_at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True, blank=True, help_text="When it was answered or flagged.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pair", "annotator"], name="one_repeat_a_pair_and_annotator"),
            models.CheckConstraint(
                condition=Q(first__isnull=False, gold__isnull=True) | Q(first__isnull=True, gold__isnull=False),
                name="repeat_or_gold",
            ),
        ]
        indexes = [models.Index(fields=["annotator"], condition=Q(closed_at__isnull=True), name="repeat_that_waits")]


class RepeatAnswer(models.Model):
    """A repeat's or gold's grade. It is no judgment, and never deleted; it may be taken back."""

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
    told_at = models.DateTimeField(null=True, blank=True, help_text="When its annotator was told the known grade.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["repeat"], condition=Q(taken_back_at__isnull=True), name="one_standing_answer_a_repeat"
            ),
            models.UniqueConstraint(fields=["annotator", "key"], name="one_repeat_answer_a_key"),
            models.CheckConstraint(condition=Q(grade__lte=HIGHEST_GRADE), name="repeat_answer_grade"),
        ]
        indexes = [models.Index(fields=["annotator", "-given_at"])]
