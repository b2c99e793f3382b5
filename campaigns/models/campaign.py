"""Campaigns, with the topics and videos that their teams work on."""

from __future__ import annotations

from datetime import datetime

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy

from foundation.models import Collection, Membership


class Campaign(models.Model):
    """A shared task on a collection's topics: teams send runs until a deadline, and are compared afterwards.

    Over a released split each accepted run is scored at once. Where `judged_later`, the topics' pool is to be made
    from the runs; the organiser names the release when it was judged. Phases are moments, never states: what is open
    follows from the database's clock.
    """

    class Audience(models.TextChoices):
        PUBLIC = "public", gettext_lazy("everybody, without a login")
        TEAMS = "teams", gettext_lazy("the campaign's teams")
        LEADS = "leads", gettext_lazy("the collection's leads alone")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="campaigns")
    name = models.CharField(
        max_length=60,
        unique=True,
        validators=[RegexValidator(r"^[a-z0-9][a-z0-9-]*\Z", "lower-case letters, digits and hyphens")],
        help_text="In its address.",
    )
    title = models.CharField(max_length=200)
    rules = models.TextField(blank=True, help_text="Markdown: what teams have to know.")
    contact = models.CharField(max_length=200, blank=True, help_text="Where teams ask; empty: not stated.")
    split = models.CharField(max_length=4, choices=[("val", "val"), ("test", "test")])
    judged_later = models.BooleanField(default=False, help_text="Whether the pool is made from the teams' runs.")
    release = models.ForeignKey(
        "datasets.Release",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="campaigns",
        help_text="Whose split runs are scored against; empty: not judged yet.",
    )
    opens_at = models.DateTimeField(help_text="From when on teams get the topics and send runs.")
    closes_at = models.DateTimeField(help_text="Runs that begin to arrive later are late.")
    results_at = models.DateTimeField(help_text="When results are announced for; a lead opens them.")
    results_opened_at = models.DateTimeField(null=True, blank=True, help_text="Since when results are open.")
    audience = models.CharField(max_length=6, choices=Audience.choices, default=Audience.TEAMS)
    own_scores = models.BooleanField(
        default=False, help_text="Whether a team sees the scores of its own runs before results are open."
    )
    most_submissions = models.PositiveSmallIntegerField(default=8, help_text="Of a team in all.")
    most_a_day = models.PositiveSmallIntegerField(default=4, help_text="Of a team in a day (UTC).")
    most_pooled = models.PositiveSmallIntegerField(
        default=4, help_text="Of a team's runs, by its priorities, so many count for the pool and the board."
    )
    most_predictions = models.PositiveIntegerField(default=1000, help_text="For one topic, in one run.")
    reminded_at = models.DateTimeField(null=True, blank=True, help_text="When teams were told of the near deadline.")
    made_by = models.ForeignKey(Membership, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(opens_at__lt=F("closes_at"), closes_at__lte=F("results_at")), name="campaign_phases"
            ),
            models.CheckConstraint(
                condition=Q(most_submissions__gte=1, most_a_day__gte=1, most_pooled__gte=1, most_predictions__gte=1),
                name="campaign_limits",
            ),
            models.CheckConstraint(condition=Q(split__in=["val", "test"]), name="campaign_split"),
            models.CheckConstraint(condition=Q(audience__in=["public", "teams", "leads"]), name="campaign_audience"),
            models.CheckConstraint(
                condition=Q(judged_later=True) | Q(release__isnull=False), name="campaign_has_truth_or_gets_it"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("campaign", args=[self.collection.name, self.pk])

    def closes_for(self, team: object) -> datetime:
        """When the team's submissions close: its own deadline where it has a later one."""
        own: datetime | None = getattr(team, "extended_until", None)
        return self.closes_at if own is None else max(own, self.closes_at)


class CampaignCorpus(models.Model):
    """The videos of a campaign as teams get them, frozen with its topics."""

    campaign = models.OneToOneField(Campaign, models.CASCADE, related_name="corpus")
    videos = models.JSONField(help_text="Video name -> seconds; null: not known.")
    end_slack = models.FloatField(help_text="Seconds that a moment may end after its video.")
    taken_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"videos of {self.campaign_id}"


class Topic(models.Model):
    """A topic of a campaign as teams get it: without truth, and frozen whatever happens to the collection's query."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="topics")
    position = models.PositiveIntegerField(help_text="From 0, in the order of files.")
    topic_id = models.TextField(help_text="The query's id in releases, as text.")
    text = models.TextField()
    narrative = models.TextField(blank=True)
    language = models.CharField(max_length=35, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "position"], name="one_campaign_topic_a_position"),
            models.UniqueConstraint(fields=["campaign", "topic_id"], name="one_campaign_topic_an_id"),
        ]

    def __str__(self) -> str:
        return self.text
