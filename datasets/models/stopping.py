"""Goals of judging: until when queries are opened, and the looks at how far that is."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_noop

from annotation.models import MachineJudge
from evaluation.guarantees.stopping import Look, look_from
from foundation.models import ByMember, Collection, PlainJob, one_unfinished


class StoppingGoal(ByMember):
    """What is to be settled before judging stops. It never changes: another goal is another row, with looks of its own.

    Its systems are runs of the pool, frozen with it, and its queries those of a sampling design that draws queries.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="stopping_goals")
    split = models.CharField(max_length=4, blank=True, help_text="Of its queries; empty: all that the design draws.")
    judge = models.ForeignKey(
        MachineJudge, models.PROTECT, null=True, blank=True, related_name="+", help_text="Whose grades help."
    )
    runs = ArrayField(models.BigIntegerField(), help_text="Ids of runs of the pool.")
    measure = models.CharField(max_length=100)
    first = models.PositiveIntegerField(help_text="So many of the best are to be in order, and above all others.")
    level = models.FloatField()
    margin = models.FloatField(null=True, blank=True, help_text="Closer scores are alike; empty: none are.")
    open_next = models.PositiveIntegerField(
        default=0, db_default=0, help_text="So many more are opened whenever few are left to judge; 0: none by itself."
    )
    made_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True, help_text="Empty: it is the current one.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection"], condition=Q(ended_at=None), name="one_stopping_goal_a_collection"
            ),
            models.CheckConstraint(
                condition=Q(level__gt=0, level__lt=1, first__gte=1) & (Q(margin=None) | Q(margin__gt=0)),
                name="stopping_goal_numbers",
            ),
        ]

    def __str__(self) -> str:
        return f"first:{self.first}, {self.measure}"

    def get_absolute_url(self) -> str:
        return reverse("stopping", args=[self.collection.name])


class StoppingLook(PlainJob, ByMember):
    """A job that looks at what is settled, and what it found. What a look spent counts at all later ones."""

    TASK = "datasets.tasks.look_at_what_is_settled"
    KIND, TITLE = "look", gettext_noop("Look at what is settled")
    COLLECTION = "goal__collection"
    UNIT = gettext_noop("runs scored")

    goal = models.ForeignKey(StoppingGoal, models.CASCADE, related_name="looks")
    judged = models.PositiveIntegerField(null=True, blank=True, help_text="Queries judged then; empty: none yet.")
    result = models.JSONField(null=True, blank=True, help_text="evaluation.guarantees.stopping.Look; empty: none yet.")

    class Meta(PlainJob.Meta):
        constraints = [*PlainJob.Meta.constraints, one_unfinished("one_unfinished_look_a_goal", "goal")]

    def __str__(self) -> str:
        return str(self.goal)

    @property
    def found(self) -> Look:
        """What it found, once it is done."""
        return look_from(self.result or {})

    def get_absolute_url(self) -> str:
        return self.goal.get_absolute_url()
