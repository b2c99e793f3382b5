"""Jobs over a campaign's runs: compared with each other, put into the pool, exported with everything else."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_noop

from campaigns.models.campaign import Campaign
from foundation.models import ByMember, PlainJob


class _OfCampaign(PlainJob, ByMember):
    """A job of a campaign, of which one at a time waits or runs."""

    COLLECTION = "campaign__collection"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="%(class)ss")

    class Meta(PlainJob.Meta):
        abstract = True
        constraints = [
            *PlainJob.Meta.constraints,
            models.UniqueConstraint(
                fields=["campaign"], condition=Q(state__in=["queued", "running"]), name="one_unfinished_%(class)s"
            ),
        ]

    def __str__(self) -> str:
        return str(self.campaign)


class CampaignComparison(_OfCampaign):
    """A job that says which runs of a campaign differ, and what it found.

    One that is done never changes; the same scores give the same one again.
    """

    TASK = "campaigns.tasks.compare_campaign"
    KIND, TITLE = "campaign-comparison", gettext_noop("Comparison of a campaign's runs")
    UNIT = gettext_noop("measures compared")

    runs = models.JSONField(default=list, help_text="[[submission, when it was scored]], in the order of submission.")
    standings = models.JSONField(
        default=dict,
        help_text="measure -> queries and systems: evaluation.significance.Standing as JSON, `system` a submission.",
    )
    pairs = models.JSONField(
        default=dict, help_text="measure -> rows of evaluation.significance.Pair, in the order of its fields."
    )

    def get_absolute_url(self) -> str:
        return reverse("campaign-standings", args=[self.campaign.collection.name, self.campaign_id])


class CampaignPooling(_OfCampaign):
    """A job that puts chosen runs of a campaign into the collection's pool and makes it by a recipe."""

    TASK = "campaigns.tasks.pool_campaign"
    KIND, TITLE = "campaign-pooling", gettext_noop("Pool of a campaign's runs")
    UNIT = gettext_noop("runs added and queries pooled")
    KEPT = gettext_noop("Runs that were added stay, and so do queries that were pooled.")

    submissions = ArrayField(models.BigIntegerField(), help_text="The runs, in the order in which they are added.")
    recipe = models.CharField(max_length=200)

    def get_absolute_url(self) -> str:
        return reverse("campaign-pool", args=[self.campaign.collection.name, self.campaign_id])


class CampaignExport(_OfCampaign):
    """A job that packs a whole campaign into one archive, and the archive. The same content gives the same bytes."""

    TASK = "campaigns.tasks.export_campaign"
    KIND, TITLE = "campaign-export", gettext_noop("Export of a campaign")
    UNIT = gettext_noop("files written")

    stored_file = models.CharField(max_length=300, blank=True, help_text="In the storage; empty: not made yet.")
    sha256 = models.CharField(max_length=64, blank=True)
    size = models.BigIntegerField(default=0, help_text="Bytes.")

    def get_absolute_url(self) -> str:
        return reverse("campaign-export", args=[self.campaign.collection.name, self.campaign_id])
