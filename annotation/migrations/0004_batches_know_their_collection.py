import django.db.models.deletion
from django.db import migrations, models

FILL = """
UPDATE annotation_batch SET collection_id = queries_query.collection_id
  FROM queries_query WHERE queries_query.id = annotation_batch.query_id;
UPDATE annotation_batch SET begun_at = first.taken_at
  FROM (SELECT batch_id, min(taken_at) AS taken_at FROM annotation_seat GROUP BY batch_id) AS first
 WHERE first.batch_id = annotation_batch.id;
UPDATE annotation_judgment SET decided_at = given_at;
-- The foreign key is checked now, so that the column can be altered in the same transaction.
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_flags_assignments_and_time")]

    operations = [
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="batch",
            name="collection",
            field=models.ForeignKey(
                help_text="The query's, here so that work is found fast.",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="batches",
                to="corpus.collection",
            ),
        ),
    ]
