"""Reviews of batches and adjudications of discarded pairs, with their history."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy

from annotation.models.judging import Batch, Pair
from foundation.models import HIGHEST_GRADE, Membership


class ReviewFigures(models.Model):
    """A decision and the figures it was based on."""

    class Decision(models.TextChoices):
        EXTEND = "extend", gettext_lazy("extend")
        FINISH = "finish", gettext_lazy("finish")

    decision = models.CharField(max_length=6, choices=Decision.choices)
    decided_by = models.ForeignKey(
        Membership, models.PROTECT, null=True, blank=True, related_name="+", help_text="Empty: by the policy."
    )
    decided_at = models.DateTimeField(default=timezone.now)
    mean = models.FloatField(null=True, help_text="Of the last five grades, when it was decided.")
    threshold = models.FloatField(help_text="The collection's, or the policy's where that decided.")
    grades = ArrayField(
        models.PositiveSmallIntegerField(null=True),
        default=list,
        help_text="Of the batch's candidates in rank order, when it was decided; empty: none.",
    )

    class Meta:
        abstract = True

    @property
    def automatic(self) -> bool:
        return self.decided_by_id is None


class Review(ReviewFigures):
    """The current decision about a batch."""

    batch = models.OneToOneField(Batch, models.PROTECT, related_name="review")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(decision__in=["extend", "finish"]), name="review_decision"),
        ]
        indexes = [models.Index(fields=["-decided_at"], name="review_newest")]


class FormerReview(ReviewFigures):
    """A review that was taken back: the batch waited for the lead again."""

    batch = models.ForeignKey(Batch, models.PROTECT, related_name="former_reviews")
    review = models.BigIntegerField(unique=True, help_text="The number it had while it stood.")
    taken_back_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    taken_back_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(decision__in=["extend", "finish"]), name="former_review_decision"),
        ]


class Ruling(models.Model):
    """What a lead decides about a pair by themselves. It stands until it is withdrawn, and is kept."""

    decided_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(default=timezone.now)
    withdrawn_by = models.ForeignKey(Membership, models.PROTECT, null=True, blank=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


def ruling_constraints(name: str) -> list[models.BaseConstraint]:
    """That one ruling of this name stands a pair, and that whoever withdraws one is known."""
    return [
        models.UniqueConstraint(
            fields=["pair"], condition=Q(withdrawn_at__isnull=True), name=f"one_standing_{name}_a_pair"
        ),
        models.CheckConstraint(
            condition=Q(withdrawn_at__isnull=True, withdrawn_by__isnull=True)
            | Q(withdrawn_at__isnull=False, withdrawn_by__isnull=False),
            name=f"{name}_withdrawn_as_a_whole",
        ),
    ]


class Adjudication(Ruling):
    """The lead's own grade of a discarded pair. Apart from consensus: a release contains it only on request."""

    pair = models.ForeignKey(Pair, models.PROTECT, related_name="adjudications")
    grade = models.PositiveSmallIntegerField()
    reason = models.TextField()

    class Meta:
        constraints = [
            *ruling_constraints("adjudication"),
            models.CheckConstraint(condition=Q(grade__gte=0, grade__lte=HIGHEST_GRADE), name="adjudication_grade"),
            models.CheckConstraint(condition=~Q(reason=""), name="adjudication_reason"),
        ]
