"""Runs of the pool and recipes come into the trail."""

from django.db import migrations

from corpus.audit.triggers import JOB, unwatch, watch

TABLES = {
    "queries_poolrun": watch("queries_poolrun"),
    "queries_poolplan": watch("queries_poolplan"),
    "queries_poolrunaddition": watch("queries_poolrunaddition", quiet=JOB),
    "queries_poolmaking": watch("queries_poolmaking", quiet=JOB),
    "queries_topicimport": watch("queries_topicimport", quiet=JOB),
}


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("corpus", "0035_more_changes_are_kept"), ("queries", "0019_indexes_that_doubled_others")]

    operations = [migrations.RunSQL(make, unwatch(table)) for table, make in TABLES.items()]
