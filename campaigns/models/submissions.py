"""Runs that teams send, their scores, and the job that scores a whole campaign."""

from __future__ import annotations

from typing import NamedTuple, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from campaigns.models.campaign import Campaign
from campaigns.models.teams import Team
from foundation.models import Account, ByMember, Job, PlainJob, one_unfinished


class Standing(NamedTuple):
    """How a run stands as people speak of it: its state, that in words, and why it is in it."""

    state: str
    words: str
    why: str


class SubmissionRows(models.QuerySet["Submission"]):
    """Runs, which of them stand, and what is read with them."""

    def that_stand(self, campaign: Campaign) -> Self:
        """A campaign's accepted ones, not withdrawn nor excluded nor of disqualified teams, by team and priority."""
        accepted = self.filter(team__campaign=campaign, state="accepted", withdrawn_at=None, excluded_at=None)
        stand = accepted.filter(team__disqualified_at=None).select_related("team__campaign")
        return stand.order_by("team__number", "priority", "pk")

    def with_scores(self) -> Self:
        """With their scores, of which each query's values are left out: they are as many as there are queries."""
        return self.select_related("score__board").defer("score__per_query")


class Submission(Job):
    """A run that a team sent: a job that checks its file whole, then accepts or refuses it; an accepted one is scored
    where there is a release. It stands while nobody withdrew or excluded it."""

    class State(models.TextChoices):
        RECEIVED = "received", gettext_lazy("waits for its check")
        CHECKING = "checking", gettext_lazy("is being checked")
        ACCEPTED = "accepted", gettext_lazy("accepted")
        REFUSED = "refused", gettext_lazy("refused")
        STOPPED = "stopped", gettext_lazy("stopped")

    TASK = "campaigns.tasks.check_submission"
    KIND, TITLE, COLLECTION = "submission", gettext_noop("Check of a team's run"), "team__campaign__collection"
    TURN = ("received", "checking")
    RUNNING, DONE = "checking", "accepted"
    objects = SubmissionRows.as_manager()

    team = models.ForeignKey(Team, models.CASCADE, related_name="submissions")
    account = models.ForeignKey(
        Account, models.SET_NULL, null=True, related_name="+", help_text="Who sent it; empty: was erased."
    )
    name = models.CharField(max_length=80, help_text="The system's, of this team; another file replaces it by name.")
    description = models.TextField(blank=True)
    priority = models.PositiveSmallIntegerField(default=1, help_text="1 comes first where not all of a team count.")
    file_name = models.CharField(max_length=200, help_text="As the sender's machine calls it.")
    stored_file = models.CharField(max_length=300, blank=True, help_text="In the storage; empty: refused, not kept.")
    sha256 = models.CharField(max_length=64, help_text="Of the file's bytes, hexadecimal.")
    size = models.BigIntegerField(help_text="Bytes.")
    begun_at = models.DateTimeField(help_text="When its request began to arrive, by the database's clock.")
    late = models.BooleanField(default=False, help_text="Whether that was after the campaign's own deadline.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.RECEIVED)
    faults = models.JSONField(default=list, help_text='The first: [{"place", "found", "expected"}].')
    unanswered = models.PositiveIntegerField(default=0, help_text="Topics without a prediction.")
    predictions = models.PositiveBigIntegerField(default=0)
    format = models.CharField(max_length=20, blank=True, help_text="As evaluation.reading calls it.")
    withdrawn_at = models.DateTimeField(null=True, blank=True, help_text="By its team, or replaced by it.")
    excluded_at = models.DateTimeField(null=True, blank=True, help_text="By a lead.")
    excluded_reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["received", "checking", "accepted", "refused", "stopped"]),
                name="submission_state",
            ),
            models.UniqueConstraint(
                fields=["team", "name"],
                condition=Q(withdrawn_at=None) & ~Q(state="refused"),
                name="one_standing_submission_a_name",
            ),
            models.UniqueConstraint(
                fields=["team", "sha256"],
                condition=Q(withdrawn_at=None) & ~Q(state="refused"),
                name="one_standing_submission_a_file",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("campaign-submission", args=[self.team.campaign.collection.name, self.pk])

    @property
    def stands(self) -> bool:
        """Whether it counts: accepted, and neither withdrawn nor excluded, nor is its team disqualified."""
        return (
            self.state == self.State.ACCEPTED
            and self.withdrawn_at is None
            and self.excluded_at is None
            and self.team.disqualified_at is None
        )

    @property
    def standing(self) -> Standing:
        """How it stands: withdrawn and excluded ones too, which are accepted or under way by their state."""
        if self.state == self.State.REFUSED:
            return Standing("refused", gettext("refused"), self.problem)
        if self.excluded_at is not None:
            return Standing("excluded", gettext("excluded"), self.excluded_reason)
        if self.withdrawn_at is not None:
            return Standing("withdrawn", gettext("withdrawn"), "")
        why = self.said if self.state == self.State.ACCEPTED else self.problem
        return Standing(self.state, self.get_state_display(), why)


class SubmissionScore(models.Model):
    """An accepted run against the campaign's release: means, and what each query gave."""

    submission = models.OneToOneField(Submission, models.CASCADE, related_name="score")
    board = models.ForeignKey(
        "datasets.Board",
        models.CASCADE,
        related_name="+",
        help_text="Of the release's split, with its measures.",
    )
    values = models.JSONField(help_text="measure -> value")
    per_query = ArrayField(
        ArrayField(models.FloatField(null=True)),
        help_text="Queries (in the board's order) x measures (in the board's order); null: no value.",
    )
    unanswered = models.PositiveIntegerField(help_text="Queries without predictions; they count 0.")
    unknown = models.PositiveIntegerField(help_text="Its rows that the ground truth doesn't know.")
    scored_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"score of {self.submission_id}"

    @property
    def in_order(self) -> list[tuple[str, float | None]]:
        """Each of the board's measures with its value."""
        return [(measure, self.values.get(measure)) for measure in self.board.measures]


class CampaignScoring(PlainJob, ByMember):
    """A job that scores all standing runs of a campaign against its release, for a lead."""

    TASK = "campaigns.tasks.score_campaign"
    KIND, TITLE, COLLECTION = "campaign-scoring", gettext_noop("Scoring of a campaign"), "campaign__collection"
    UNIT = gettext_noop("runs scored")
    KEPT = gettext_noop("Runs that were scored keep their scores.")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="scorings")

    class Meta(PlainJob.Meta):
        constraints = [
            *PlainJob.Meta.constraints,
            one_unfinished("one_unfinished_scoring_a_campaign", "campaign"),
        ]

    def __str__(self) -> str:
        return str(self.campaign)

    def get_absolute_url(self) -> str:
        return reverse("campaign", args=[self.campaign.collection.name, self.campaign_id])
