"""Releases, runs and what becomes of them come into the trail of changes."""

from django.db import migrations

from foundation.audit.triggers import JOB, watch

OF_RELEASE = "SELECT collection_id FROM datasets_release WHERE id = ($1->>'release_id')::bigint"
OF_RUN = (
    "SELECT r.collection_id FROM datasets_board b JOIN datasets_release r ON r.id = b.release_id"
    " WHERE b.id = ($1->>'board_id')::bigint"
)


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("foundation", "0002_changes_are_kept"), ("datasets", "0001_initial")]

    operations = [
        watch("datasets_release", quiet=("manifest",)),
        watch("datasets_releasejob", quiet=JOB),
        watch("datasets_sharing", place=OF_RELEASE),
        watch("datasets_releasepage", place=OF_RELEASE),
        watch("datasets_publication", place=OF_RELEASE, quiet=(*JOB, "sent")),
        watch("datasets_releasecheck", place=OF_RELEASE, quiet=JOB),
        watch("datasets_judgmentimport", quiet=JOB),
        watch("datasets_run", place=OF_RUN, secret=("file_name", "manifest"), quiet=(*JOB, "against_best")),
        watch("datasets_certificate", place=OF_RELEASE, secret=("systems", "results"), quiet=JOB),
    ]
