"""Plans: how many queries people have to judge for a difference worth finding, and what that costs."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_noop

from foundation.models import ByMember, Collection, PlainJob, one_unfinished


class Plan(PlainJob, ByMember):
    """A job that plans, what it was asked, and what it found. One that is done changes in nothing but `chosen`."""

    TASK = "datasets.tasks.make_plan"
    KIND, TITLE = "plan", gettext_noop("Plan")
    PAGE, PAGE_OF_ITS_OWN = "plan", True
    UNIT = gettext_noop("machines imitated")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="plans")
    asked = models.JSONField(help_text="datasets.planning.services.Asked as JSON.")
    result = models.JSONField(null=True, blank=True, help_text="datasets.planning.jobs.Found as JSON; empty: none yet.")
    chosen = models.PositiveIntegerField(
        null=True, blank=True, help_text="The row of its result that the collection goes by; empty: none."
    )
    chosen_at = models.DateTimeField(null=True, blank=True)

    class Meta(PlainJob.Meta):
        constraints = [
            *PlainJob.Meta.constraints,
            one_unfinished("one_unfinished_plan_a_collection"),
            models.UniqueConstraint(
                fields=["collection"], condition=models.Q(chosen__isnull=False), name="one_chosen_plan_a_collection"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.asked.get('smallest', 0):g}"
