"""What organisers and teams decide comes into the trail of changes."""

from django.db import migrations

from foundation.audit.triggers import JOB, watch

OF_CAMPAIGN = "SELECT collection_id FROM campaigns_campaign WHERE id = ($1->>'campaign_id')::bigint"
OF_TEAM = (
    "SELECT c.collection_id FROM campaigns_campaign c JOIN campaigns_team t ON t.campaign_id = c.id"
    " WHERE t.id = ($1->>'team_id')::bigint"
)


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("foundation", "0002_changes_are_kept"), ("campaigns", "0001_initial")]

    operations = [
        watch("campaigns_campaign", quiet=("reminded_at",)),
        watch("campaigns_team", place=OF_CAMPAIGN, secret=("contact", "disqualified_reason")),
        watch("campaigns_teammember", place=OF_CAMPAIGN, secret=("account_id",)),
        watch("campaigns_teamlink", place=OF_TEAM, secret=("digest", "made_by_id")),
        watch(
            "campaigns_submission",
            place=OF_TEAM,
            secret=("account_id", "description", "excluded_reason"),
            quiet=(*JOB, "faults"),
        ),
        watch("campaigns_campaignscoring", place=OF_CAMPAIGN, quiet=JOB),
        watch("campaigns_campaigncomparison", place=OF_CAMPAIGN, quiet=(*JOB, "runs", "standings", "pairs")),
        watch("campaigns_campaignpooling", place=OF_CAMPAIGN, quiet=JOB),
        watch("campaigns_campaignexport", place=OF_CAMPAIGN, quiet=JOB),
    ]
