from django.db import migrations

from corpus.audit.triggers import JOB, unwatch, watch

OF_CAMPAIGN = "SELECT collection_id FROM campaigns_campaign WHERE id = ($1->>'campaign_id')::bigint"
OF_TEAM = (
    "SELECT c.collection_id FROM campaigns_campaign c JOIN campaigns_team t ON t.campaign_id = c.id"
    " WHERE t.id = ($1->>'team_id')::bigint"
)
TABLES = {
    "campaigns_campaign": watch("campaigns_campaign", quiet=("reminded_at",)),
    "campaigns_team": watch("campaigns_team", place=OF_CAMPAIGN, secret=("contact", "disqualified_reason")),
    "campaigns_teammember": watch("campaigns_teammember", place=OF_CAMPAIGN, secret=("account_id",)),
    "campaigns_teamlink": watch("campaigns_teamlink", place=OF_TEAM, secret=("digest", "made_by_id")),
    "campaigns_submission": watch(
        "campaigns_submission",
        place=OF_TEAM,
        secret=("account_id", "description", "excluded_reason"),
        quiet=(*JOB, "faults"),
    ),
    "campaigns_campaignscoring": watch("campaigns_campaignscoring", place=OF_CAMPAIGN, quiet=JOB),
}


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("corpus", "0030_changes_are_kept"), ("campaigns", "0001_initial")]

    operations = [migrations.RunSQL(make, unwatch(table)) for table, make in TABLES.items()]
