from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0004_releases_with_adjudicated_grades")]

    operations = [
        migrations.RenameField("run", "uploaded_at", "asked_at"),
        migrations.RenameField("run", "scored_at", "finished_at"),
        migrations.AddField(
            model_name="publication",
            name="begun",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="How often a worker has begun since it was asked for or last went well.",
            ),
        ),
        migrations.AddField(
            model_name="publication",
            name="due_at",
            field=models.DateTimeField(
                blank=True, help_text="When its message in the queue is due; empty: none was sent.", null=True
            ),
        ),
        migrations.AddField(
            model_name="releasejob",
            name="begun",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="How often a worker has begun since it was asked for or last went well.",
            ),
        ),
        migrations.AddField(
            model_name="releasejob",
            name="due_at",
            field=models.DateTimeField(
                blank=True, help_text="When its message in the queue is due; empty: none was sent.", null=True
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="due_at",
            field=models.DateTimeField(
                blank=True, help_text="When its message in the queue is due; empty: none was sent.", null=True
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="started_at",
            field=models.DateTimeField(blank=True, help_text="When a worker last began.", null=True),
        ),
        migrations.AlterField(
            model_name="publication",
            name="problem",
            field=models.TextField(blank=True, db_default="", help_text="Why it ended without what was asked for."),
        ),
        migrations.AlterField(
            model_name="publication",
            name="started_at",
            field=models.DateTimeField(blank=True, help_text="When a worker last began.", null=True),
        ),
        migrations.AlterField(
            model_name="releasejob",
            name="problem",
            field=models.TextField(blank=True, db_default="", help_text="Why it ended without what was asked for."),
        ),
        migrations.AlterField(
            model_name="releasejob",
            name="started_at",
            field=models.DateTimeField(blank=True, help_text="When a worker last began.", null=True),
        ),
        migrations.AlterField(
            model_name="run",
            name="begun",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="How often a worker has begun since it was asked for or last went well.",
            ),
        ),
        migrations.AlterField(
            model_name="run",
            name="problem",
            field=models.TextField(blank=True, db_default="", help_text="Why it ended without what was asked for."),
        ),
        migrations.AlterField(
            model_name="run",
            name="touched_at",
            field=models.DateTimeField(blank=True, help_text="When a worker last said how far it is.", null=True),
        ),
    ]
