"""Guideline versions, the lead's draft, and worked examples."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from corpus.models import Description, Moment
from foundation.models import HIGHEST_GRADE, Collection, Membership


class VersionedText(models.Model):
    """A published version of a text that people confirm; never changed, since what they did refers to it."""

    version = models.PositiveIntegerField()
    source = models.TextField(help_text="Markdown.")
    note = models.TextField(blank=True, help_text="What changed, for those who knew the version before.")
    published_at = models.DateTimeField(auto_now_add=True)
    published_by = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="+")

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"version {self.version}"


class TextDraft(models.Model):
    """What the lead is writing; only leads see it."""

    source = models.TextField()
    edited_at = models.DateTimeField(auto_now=True)
    edited_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")

    class Meta:
        abstract = True


class Guideline(VersionedText):
    """A published version of the guideline."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="guidelines")
    examples = models.JSONField(
        default=list, help_text='The worked examples as they were: [{"query", "moment", "grade", "why"}].'
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "version"], name="one_guideline_a_version"),
            models.CheckConstraint(condition=Q(version__gte=1), name="guideline_version"),
        ]


class GuidelineDraft(TextDraft):
    """The guideline that the lead is writing."""

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="guideline_draft")


class WorkedItem(models.Model):
    """A query and a moment with the lead's grade and reason: an example in the guideline, or practice.

    Drawn without a grade; nobody but the lead sees it before it has one.
    """

    class Use(models.TextChoices):
        EXAMPLE = "example", gettext_lazy("example in the guideline")
        PRACTICE = "practice", gettext_lazy("practice")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="worked_items")
    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    use = models.CharField(max_length=8, choices=Use.choices)
    description = models.ForeignKey(
        Description,
        models.PROTECT,
        related_name="+",
        help_text="The pseudo-training query; the exam asks none of these.",
    )
    query = models.TextField()
    moment = models.ForeignKey(Moment, models.PROTECT, related_name="+")
    grade = models.PositiveSmallIntegerField(null=True, blank=True)
    why = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "description", "moment"], name="one_worked_item_a_query_and_moment"
            ),
            models.CheckConstraint(
                condition=Q(grade__isnull=True) | Q(grade__lte=HIGHEST_GRADE), name="worked_item_grade"
            ),
            models.CheckConstraint(condition=Q(use__in=["example", "practice"]), name="worked_item_use"),
        ]


class PracticeAnswer(models.Model):
    """The first grade given to a practice item. It never counts; it marks the item as done."""

    item = models.ForeignKey(WorkedItem, models.CASCADE, related_name="answers")
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="practice_answers")
    grade = models.PositiveSmallIntegerField()
    given_at = models.DateTimeField(auto_now_add=True)
    active_seconds = models.FloatField(
        null=True, blank=True, help_text="Work on it, bounded as a judgment's; empty before this was recorded."
    )
    paid = models.BooleanField(default=False, db_default=False, help_text="Whether that work is paid.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "annotator"], name="one_practice_answer_an_item_and_person"),
            models.CheckConstraint(condition=Q(grade__lte=HIGHEST_GRADE), name="practice_answer_grade"),
        ]
