"""Factors: what annotators say of a pair beside its grade, and what they said."""

from django.contrib.postgres.fields import ArrayField
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from annotation.models.judging import Judgment
from foundation.models import Collection

FEWEST_ANSWERS, MOST_ANSWERS = 2, 5


class Factor(models.Model):
    """A question of a collection that annotators answer beside the grade: the value of an answer is its place among
    `answers`, from 0. None is changed or deleted once something is judged."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="factors")
    key = models.CharField(
        max_length=30,
        validators=[RegexValidator(r"^[a-z][a-z0-9_-]*\Z", "a lower-case letter, then letters, digits, - and _")],
    )
    place = models.PositiveSmallIntegerField(help_text="Its place in the order in which they are asked, from 1.")
    name = models.CharField(max_length=60)
    question = models.CharField(max_length=200)
    answers = ArrayField(models.CharField(max_length=40), help_text="Words of the values 0, 1, ...")
    may_skip = models.BooleanField(default=False, help_text="Whether “can't say” is an answer.")
    languages = models.JSONField(
        default=dict, help_text="{language: {name, question, answers}}: for whoever reads the page in that language."
    )
    retired_at = models.DateTimeField(null=True, blank=True, help_text="Since when it isn't asked any more.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "key"], name="one_factor_a_key"),
            models.CheckConstraint(
                condition=Q(answers__len__gte=FEWEST_ANSWERS, answers__len__lte=MOST_ANSWERS), name="factor_answers"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class JudgedFactor(models.Model):
    """What was answered to a factor with a judgment."""

    # The constraint's index begins with it.
    judgment = models.ForeignKey(Judgment, models.CASCADE, related_name="factors", db_index=False)
    factor = models.ForeignKey(Factor, models.PROTECT, related_name="judged")
    value = models.PositiveSmallIntegerField(null=True, help_text="Empty: can't say.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judgment", "factor"], name="one_answer_a_judgment_and_factor"),
            models.CheckConstraint(
                condition=Q(value__isnull=True) | Q(value__lt=MOST_ANSWERS), name="judged_factor_value"
            ),
        ]
