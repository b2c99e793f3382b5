"""Looks at a collection before it is rewritten: ten descriptions tried, and the names that occur."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy, gettext_noop

from foundation.models import ByMember, Collection, Job, one_unfinished, plain_states
from foundation.models.jobs import job_states


class RewritePreview(Job, ByMember):
    """Ten descriptions rewritten to be looked at, and what all of them would take. Nothing is kept as a caption."""

    State = job_states(gettext_lazy("is being rewritten"), gettext_lazy("rewritten"), gettext_lazy("not rewritten"))
    TASK = "queries.tasks.preview_rewriting"
    KIND, TITLE = "rewriting-preview", gettext_noop("Preview of rewriting")
    PAGE = "rewriting"
    KEPT = gettext_noop("Every answer is stored, so nothing is paid for twice.")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="rewrite_previews")
    rewriter = models.CharField(max_length=5, help_text="rules or llm.")
    seed = models.PositiveIntegerField(help_text="By which the descriptions are drawn.")
    found = models.JSONField(default=dict, help_text="The captions with their verdicts, and the estimate.")

    class Meta:
        constraints = [
            plain_states("rewrite_preview_state"),
            models.CheckConstraint(condition=Q(rewriter__in=["rules", "llm"]), name="rewrite_preview_rewriter"),
            one_unfinished("one_rewrite_preview_at_a_time"),
        ]

    def __str__(self) -> str:
        return f"by {'rules' if self.rewriter == 'rules' else 'the LLM'}"


class NameCount(Job, ByMember):
    """The persons' names that occur in a collection's descriptions, counted by the name tagger."""

    State = job_states(gettext_lazy("being counted"), gettext_lazy("counted"), gettext_lazy("not counted"))
    TASK = "queries.tasks.count_names"
    KIND, TITLE = "names", gettext_noop("Names in the descriptions")
    PAGE = "cast"
    UNIT = gettext_noop("descriptions read")

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="name_count")
    found = models.JSONField(default=list, help_text="The most frequent: name, times, gender as the texts tell it.")

    class Meta:
        constraints = [plain_states("name_count_state")]

    def __str__(self) -> str:
        return "names"
