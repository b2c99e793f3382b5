from django.db import migrations

from corpus.audit.triggers import JOB, unwatch, watch

OF_CAMPAIGN = "SELECT collection_id FROM campaigns_campaign WHERE id = ($1->>'campaign_id')::bigint"
TABLES = {
    "campaigns_campaigncomparison": watch(
        "campaigns_campaigncomparison", place=OF_CAMPAIGN, quiet=(*JOB, "runs", "standings", "pairs")
    ),
    "campaigns_campaignpooling": watch("campaigns_campaignpooling", place=OF_CAMPAIGN, quiet=JOB),
    "campaigns_campaignexport": watch("campaigns_campaignexport", place=OF_CAMPAIGN, quiet=JOB),
}


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("corpus", "0030_changes_are_kept"), ("campaigns", "0003_results")]

    operations = [migrations.RunSQL(make, unwatch(table)) for table, make in TABLES.items()]
