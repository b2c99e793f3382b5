"""Runs to open: the job that does what remains of preparing a collection."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy, gettext_noop

from foundation.models import ByMember, Collection, PlainJob, one_unfinished


class RunToOpen(PlainJob, ByMember):
    """A job that starts the jobs of the steps that remain until judging is open, one after the other."""

    class Rewriter(models.TextChoices):
        RULES = "rules", gettext_lazy("rules")
        LLM = "llm", gettext_lazy("the LLM")
        AS_THEY_ARE = "as-they-are", gettext_lazy("nobody: descriptions as they are")

    TASK = "desk.tasks.go_on_running"
    KIND, TITLE = "run-to-open", gettext_noop("Run to open")
    PAGE = "overview"
    UNIT = gettext_noop("steps")
    KEPT = gettext_noop("What is done stays. The step that is under way ends by itself; the others wait.")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="runs_to_open")
    rewriter = models.CharField(max_length=11, choices=Rewriter.choices, default=Rewriter.RULES)
    val = models.PositiveIntegerField(null=True, help_text="Validation queries to draw; empty: as suggested.")
    test = models.PositiveIntegerField(null=True, help_text="Test queries to draw; empty: as suggested.")
    seed = models.BigIntegerField(default=1)
    begun_steps = ArrayField(models.CharField(max_length=20), default=list, help_text="Steps that it has started.")

    class Meta(PlainJob.Meta):
        constraints = [
            *PlainJob.Meta.constraints,
            one_unfinished("one_unfinished_run_to_open_a_collection"),
        ]

    def __str__(self) -> str:
        return "what remains until judging is open"

    @property
    def asked_for(self) -> dict[str, str]:
        """What it was asked for, as the form sends it."""
        values = {"rewriter": self.rewriter, "val": self.val, "test": self.test, "seed": self.seed}
        return {name: "" if value is None else str(value) for name, value in values.items()}

    def values_to_resume(self) -> dict[str, Any]:
        # What was stopped or refused meanwhile is tried again.
        return {**super().values_to_resume(), "begun_steps": []}
