"""Boards estimated with a machine judge's help."""

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_noop

from annotation.models import MachineJudge
from foundation.models import PlainJob, one_unfinished


class BoardEstimate(PlainJob):
    """A job that estimates the scores of a split's runs from people's judgments and a machine's, and what it found.

    It is no ground truth and no part of the release's files. One that is done never changes.
    """

    TASK = "datasets.tasks.estimate_board"
    KIND, TITLE, COLLECTION = (
        "board-estimate",
        gettext_noop("Board estimated with a machine's help"),
        "release__collection",
    )
    UNIT = gettext_noop("runs and measures")

    release = models.ForeignKey("datasets.Release", models.CASCADE, related_name="estimates")
    split = models.CharField(max_length=4, choices=[("val", "val"), ("test", "test")])
    judge = models.ForeignKey(MachineJudge, models.CASCADE, related_name="board_estimates")
    systems = models.JSONField(
        help_text="The runs: name, team, from (pool or leaderboard), id and SHA-256 of the file."
    )
    families = models.JSONField(default=dict, help_text="name -> the family that the run shares with judges.")
    result = models.JSONField(null=True, blank=True, help_text="As datasets.guarantees.estimate; empty: none yet.")

    class Meta(PlainJob.Meta):
        constraints = [
            *PlainJob.Meta.constraints,
            models.CheckConstraint(condition=models.Q(split__in=["val", "test"]), name="board_estimate_split"),
            one_unfinished("one_unfinished_estimate_a_release", "release"),
        ]

    def __str__(self) -> str:
        return f"{self.release} {self.split}, {self.judge}"

    def get_absolute_url(self) -> str:
        return reverse("board-estimates", args=[self.release.collection.name, self.release_id, self.split])
