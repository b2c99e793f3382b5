"""Runs of leaderboards and certificates come into the trail: sent, scored, shown, withdrawn."""

from django.db import migrations

from corpus.audit.triggers import JOB, unwatch, watch

OF_RUN = (
    "SELECT r.collection_id FROM datasets_board b JOIN datasets_release r ON r.id = b.release_id"
    " WHERE b.id = ($1->>'board_id')::bigint"
)
OF_RELEASE = "SELECT collection_id FROM datasets_release WHERE id = ($1->>'release_id')::bigint"
TABLES = {
    "datasets_run": watch("datasets_run", place=OF_RUN, secret=("file_name", "manifest"), quiet=(*JOB, "against_best")),
    "datasets_certificate": watch("datasets_certificate", place=OF_RELEASE, secret=("systems", "results"), quiet=JOB),
}


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("corpus", "0035_more_changes_are_kept"), ("datasets", "0012_changes_are_kept")]

    operations = [migrations.RunSQL(make, unwatch(table)) for table, make in TABLES.items()]
