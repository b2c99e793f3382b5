"""Items that teach, starts and ends set by leads, priorities, batches put off and pairs withdrawn come into the trail."""

from django.db import migrations

from corpus.audit.triggers import unwatch, unwatch_columns, watch, watch_columns

OF_PAIR = (
    "SELECT b.collection_id FROM annotation_pair p JOIN annotation_batch b ON b.id = p.batch_id"
    " WHERE p.id = ($1->>'pair_id')::bigint"
)
OF_BATCH = "SELECT collection_id FROM annotation_batch WHERE id = ($1->>'batch_id')::bigint"
OF_EXAM = "SELECT collection_id FROM annotation_exam WHERE id = ($1->>'exam_id')::bigint"
TABLES = {
    "annotation_workeditem": watch("annotation_workeditem"),
    "annotation_examitem": watch("annotation_examitem", place=OF_EXAM, operations=("update",)),
    "annotation_spanruling": watch("annotation_spanruling", place=OF_PAIR),
    "annotation_guidelinedraft": watch("annotation_guidelinedraft", secret=("source",), quiet=("edited_at",)),
}
WITHDRAWN = "(OLD.status = 'withdrawn') IS DISTINCT FROM (NEW.status = 'withdrawn')"
COLUMNS = {
    "annotation_batch": watch_columns("annotation_batch", ("priority", "postponed_at")),
    "annotation_pair": watch_columns("annotation_pair", ("status", "grade"), place=OF_BATCH, only_when=WITHDRAWN),
}


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("corpus", "0035_more_changes_are_kept"), ("annotation", "0027_indexes_that_doubled_others")]

    operations = [
        *(migrations.RunSQL(make, unwatch(table)) for table, make in TABLES.items()),
        *(migrations.RunSQL(make, unwatch_columns(table)) for table, make in COLUMNS.items()),
    ]
