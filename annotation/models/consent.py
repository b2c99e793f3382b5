"""Consent texts, who confirmed and withdrew, and the survey of annotators with its frozen sums."""

import hashlib

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotation.models.guidelines import TextDraft, VersionedText
from foundation.models import Collection, Membership


class OnWithdrawal(models.TextChoices):
    """What becomes of somebody's judgments when they withdraw their consent."""

    KEPT = "kept", gettext_lazy("they stay under the worker id, and count")
    UNDECIDED = "undecided", gettext_lazy("those of clips that aren't decided yet are taken back, the others stay")


class ConsentText(VersionedText):
    """A published version of the consent text."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="consent_texts")
    on_withdrawal = models.CharField(max_length=9, choices=OnWithdrawal.choices, default=OnWithdrawal.KEPT)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "version"], name="one_consent_text_a_version"),
            models.CheckConstraint(condition=Q(version__gte=1), name="consent_text_version"),
            models.CheckConstraint(condition=Q(on_withdrawal__in=OnWithdrawal.values), name="consent_on_withdrawal"),
        ]

    @property
    def digest(self) -> str:
        """SHA-256 of the text, in hexadecimal."""
        return hashlib.sha256(self.source.encode()).hexdigest()


class ConsentDraft(TextDraft):
    """The consent text that the lead is writing."""

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="consent_draft")
    on_withdrawal = models.CharField(max_length=9, choices=OnWithdrawal.choices, default=OnWithdrawal.KEPT)


class ConsentAct(models.Model):
    """That somebody confirmed a version of the consent text, or withdrew their consent. Rows never change."""

    class Kind(models.TextChoices):
        CONFIRMED = "confirmed", gettext_lazy("confirmed")
        WITHDRAWN = "withdrawn", gettext_lazy("withdrawn")

    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="consent_acts")
    kind = models.CharField(max_length=9, choices=Kind.choices)
    version = models.PositiveIntegerField(help_text="Of the text; of a withdrawal 0 where none was confirmed.")
    digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of that version's text.")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["confirmed", "withdrawn"]), name="consent_act_kind"),
        ]


class SurveyQuestion(models.Model):
    """A question about annotators themselves. Never changed, since answers refer to it; retired, it isn't asked."""

    class Kind(models.TextChoices):
        CHOICE = "choice", gettext_lazy("one of a list")
        NUMBER = "number", gettext_lazy("a number, in bands")
        LANGUAGE = "language", gettext_lazy("a language")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="survey_questions")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    text = models.CharField(max_length=300)
    options = ArrayField(models.CharField(max_length=100), default=list, help_text="Bands too; none of a language.")
    made_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "text"], condition=Q(retired_at=None), name="one_survey_question_a_text"
            ),
            models.CheckConstraint(condition=Q(kind__in=["choice", "number", "language"]), name="survey_kind"),
        ]


class SurveyAnswer(models.Model):
    """Somebody's answer, while they let it stand. Who would rather not say has none."""

    question = models.ForeignKey(SurveyQuestion, models.CASCADE, related_name="answers")
    annotator = models.ForeignKey(Membership, models.CASCADE, related_name="survey_answers")
    answer = models.CharField(max_length=100, help_text="One of the options, or a language (BCP 47).")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "annotator"], name="one_survey_answer_a_question_and_person")
        ]


class SurveySum(models.Model):
    """What is told of some people's answers to a question, frozen when it was made. Nobody is in two of one question.

    `told` has by answer how many people there are at least, in fives (`annotation/consent/survey_rule.py`).
    """

    question = models.ForeignKey(SurveyQuestion, models.CASCADE, related_name="sums")
    people = models.PositiveIntegerField()
    told = models.JSONField()
    made_at = models.DateTimeField(auto_now_add=True)


class SurveyCounted(models.Model):
    """That somebody is in a sum of a question already, whatever they answered."""

    question = models.ForeignKey(SurveyQuestion, models.CASCADE, related_name="counted")
    annotator = models.ForeignKey(Membership, models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "annotator"], name="counted_once_a_question_and_person")
        ]
