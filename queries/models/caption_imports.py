"""Captions that were made elsewhere: the job that brings a file of them, and what each brought one stands in for."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy, gettext_noop

from foundation.models import ByMember, Collection, PlainJob, one_unfinished


class CaptionImport(PlainJob, ByMember):
    """A file of captions that is looked at, then imported, and may be taken back. It lies in the storage."""

    class Doing(models.TextChoices):
        LOOK = "look", gettext_lazy("look at the file")
        IMPORT = "import", gettext_lazy("import it")
        BACK = "back", gettext_lazy("take it back")

    TASK = "queries.tasks.import_captions"
    KIND, TITLE = "caption-import", gettext_noop("Import of captions")
    PAGE = "caption-imports"
    UNIT = gettext_noop("captions")
    KEPT = gettext_noop("Captions that were checked are kept: resuming goes on after them.")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="caption_imports")
    file_name = models.CharField(max_length=200, help_text="As the lead's machine calls it.")
    stored_file = models.CharField(
        max_length=300, blank=True, help_text="Its name in the storage; empty where a command read it."
    )
    format = models.CharField(max_length=20, blank=True, help_text="Empty: to be guessed.")
    charset = models.CharField(max_length=20, blank=True, help_text="Empty: to be detected.")
    separator = models.CharField(max_length=10, blank=True, help_text="Of CSV; empty: to be detected.")
    made_by = models.CharField(max_length=200, blank=True, help_text="Who or what made the captions that don't say it.")
    doing = models.CharField(max_length=6, choices=Doing.choices)
    found = models.JSONField(default=dict, help_text="Counts, the first rows, the first problems and how many.")
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta(PlainJob.Meta):
        constraints = [
            *PlainJob.Meta.constraints,
            models.CheckConstraint(
                condition=models.Q(doing__in=["look", "import", "back"]), name="caption_import_doing"
            ),
            one_unfinished("one_unfinished_caption_import_a_collection"),
        ]

    def __str__(self) -> str:
        return self.file_name

    @property
    def looked_at(self) -> bool:
        """Whether it waits for somebody to import or discard it."""
        return self.doing == self.Doing.LOOK and self.state == self.State.DONE

    @property
    def can_be_taken_back(self) -> bool:
        ended = self.doing != self.Doing.LOOK and self.finished
        return ended and self.taken_back_at is None and self.brought.exists()

    def turn_to(self, doing: str) -> None:
        """Have it wait for a worker that does this; the caller sends it."""
        self.doing, self.state, self.said, self.problem, self.done = doing, self.State.QUEUED, "", "", 0
        self.begun, self.due_at, self.finished_at, self.started_at = 0, None, None, None
        self.save()


class BroughtCaption(models.Model):
    """A caption that an import brought, and what it stands in for, so that it can be taken back."""

    brought_by = models.ForeignKey(CaptionImport, models.CASCADE, related_name="brought")
    attempt = models.OneToOneField("queries.Attempt", models.CASCADE, related_name="brought")
    before = models.ForeignKey(
        "queries.Attempt", models.SET_NULL, null=True, related_name="+", help_text="The caption's attempt until then."
    )
    before_status = models.CharField(max_length=8, blank=True, help_text="The caption's until then; empty: none.")

    def __str__(self) -> str:
        return f"{self.attempt_id} by {self.brought_by_id}"
