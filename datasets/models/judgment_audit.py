"""Audits of files of judgments that people upload."""

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy, gettext_noop

from foundation.models import Account, PlainJob
from foundation.models.jobs import one_unfinished


class JudgmentAudit(PlainJob):
    """A job that audits a file of judgments for whoever uploaded it, and the audit. It belongs to no collection.

    The files lie in the storage until it has ended.
    """

    class Ratings(models.TextChoices):
        STARS = "1-5", gettext_lazy("1-5 (the first star is grade 0)")
        GRADES = "0-4", "0-4"

    TASK = "datasets.tasks.audit_judgments"
    KIND, TITLE, COLLECTION = "judgment-audit", gettext_noop("Audit of judgments"), ""
    KEPT = gettext_noop("The file is kept for when it is resumed.")

    account = models.ForeignKey(Account, models.CASCADE, related_name="+")
    file_name = models.CharField(max_length=200, help_text="As the person's machine calls it.")
    stored_file = models.CharField(max_length=300, blank=True, help_text="Its name in the storage; empty: removed.")
    size = models.BigIntegerField(help_text="Bytes of both files.")
    pairs_name = models.CharField(max_length=200, blank=True, help_text="The file of the pairs' data; empty: none.")
    pairs_file = models.CharField(max_length=300, blank=True, help_text="Its name in the storage.")
    ratings = models.CharField(
        max_length=3,
        choices=Ratings.choices,
        default=Ratings.STARS,
        help_text="Which of Label Studio's ratings stand for the grades 0-4.",
    )
    result = models.JSONField(null=True, blank=True, help_text="evaluation.judgments.audit.Told; empty: none yet.")

    class Meta(PlainJob.Meta):
        constraints = [*PlainJob.Meta.constraints, one_unfinished("one_unfinished_audit_an_account", "account")]

    def __str__(self) -> str:
        return self.file_name

    def get_absolute_url(self) -> str:
        return reverse("judgment-audit", args=[self.pk])
