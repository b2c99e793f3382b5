from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0013_studies")]

    operations = [
        migrations.RenameField("import", "uploaded_at", "asked_at"),
        migrations.RenameField("import", "rows_done", "done"),
        migrations.AddField(
            model_name="import",
            name="begun",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="How often a worker has begun since it was asked for or last went well.",
            ),
        ),
        migrations.AddField(
            model_name="import",
            name="due_at",
            field=models.DateTimeField(
                blank=True, help_text="When its message in the queue is due; empty: none was sent.", null=True
            ),
        ),
        migrations.AddField(
            model_name="import",
            name="problem",
            field=models.TextField(blank=True, db_default="", help_text="Why it ended without what was asked for."),
        ),
        migrations.AlterField(
            model_name="import",
            name="done",
            field=models.PositiveIntegerField(default=0, help_text="Rows read."),
        ),
        migrations.AlterField(
            model_name="import",
            name="started_at",
            field=models.DateTimeField(blank=True, help_text="When a worker last began.", null=True),
        ),
    ]
