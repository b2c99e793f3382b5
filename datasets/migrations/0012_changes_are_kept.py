from django.db import migrations

from corpus.audit.triggers import JOB, unwatch, watch

OF_RELEASE = "SELECT collection_id FROM datasets_release WHERE id = ($1->>'release_id')::bigint"
TABLES = {
    "datasets_release": watch("datasets_release", quiet=("manifest",)),
    "datasets_releasejob": watch("datasets_releasejob", quiet=JOB),
    "datasets_sharing": watch("datasets_sharing", place=OF_RELEASE),
    "datasets_releasepage": watch("datasets_releasepage", place=OF_RELEASE),
    "datasets_publication": watch("datasets_publication", place=OF_RELEASE, quiet=(*JOB, "sent")),
    "datasets_releasecheck": watch("datasets_releasecheck", place=OF_RELEASE, quiet=JOB),
    "datasets_judgmentimport": watch("datasets_judgmentimport", quiet=JOB),
}


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("corpus", "0030_changes_are_kept"), ("datasets", "0011_certificates")]

    operations = [migrations.RunSQL(make, unwatch(table)) for table, make in TABLES.items()]
