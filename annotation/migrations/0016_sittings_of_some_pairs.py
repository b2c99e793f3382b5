import django.contrib.postgres.fields
from django.db import migrations, models

FILL = """
-- Until now a seat was at all pairs of its batch's round.
UPDATE annotation_seat SET pairs = ARRAY(
           SELECT p.id FROM annotation_pair p
            WHERE p.batch_id = annotation_seat.batch_id AND p.status IN ('open', 'disputed'))
 WHERE ended_at IS NULL;
UPDATE annotation_batch SET disputed = second.pairs
  FROM (SELECT p.batch_id, count(*) AS pairs FROM annotation_pair p
         WHERE p.status = 'disputed'
            OR EXISTS (SELECT FROM annotation_judgment j WHERE j.pair_id = p.id AND j.counted AND j.round = 2)
         GROUP BY p.batch_id) AS second
 WHERE second.batch_id = annotation_batch.id AND annotation_batch.status <> 'first';
-- The foreign keys are checked now, so that the indexes can be made in the same transaction.
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
"""
# A row that is written at every judgment finds room for its next version in its own page.
ROOM = "ALTER TABLE annotation_workclock SET (fillfactor = 50)"


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0015_work_clock"),
    ]

    operations = [
        migrations.RunSQL(ROOM, migrations.RunSQL.noop),
        migrations.AddField(
            model_name="batch",
            name="disputed",
            field=models.PositiveSmallIntegerField(
                blank=True, help_text="Pairs in dispute when its second round began.", null=True
            ),
        ),
        migrations.AddField(
            model_name="seat",
            name="pairs",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(),
                default=list,
                help_text="Those for which it holds a place.",
                size=None,
            ),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name="batch",
            index=models.Index(
                condition=models.Q(("begun_at__isnull", True), ("number__gt", 1), ("status", "first")),
                fields=["collection", "-priority", "id"],
                name="batch_that_follows",
            ),
        ),
        migrations.AddIndex(
            model_name="batch",
            index=models.Index(
                condition=models.Q(("disputed__gt", 0)), fields=["collection", "-id"], name="batch_was_disputed"
            ),
        ),
    ]
