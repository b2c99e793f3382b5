from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("queries", "0007_candidates_in_the_browser")]

    operations = [
        migrations.RenameField("rewritejob", "started_at", "asked_at"),
        migrations.RenameField("rewritejob", "stopped_because", "problem"),
        migrations.AddField(
            model_name="rewritejob",
            name="begun",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="How often a worker has begun since it was asked for or last went well.",
            ),
        ),
        migrations.AddField(
            model_name="rewritejob",
            name="due_at",
            field=models.DateTimeField(
                blank=True, help_text="When its message in the queue is due; empty: none was sent.", null=True
            ),
        ),
        migrations.AddField(
            model_name="rewritejob",
            name="started_at",
            field=models.DateTimeField(blank=True, help_text="When a worker last began.", null=True),
        ),
        migrations.AddField(
            model_name="rewritejob",
            name="touched_at",
            field=models.DateTimeField(blank=True, help_text="When a worker last said how far it is.", null=True),
        ),
        migrations.AlterField(
            model_name="rewritejob",
            name="problem",
            field=models.TextField(blank=True, db_default="", help_text="Why it ended without what was asked for."),
        ),
    ]
