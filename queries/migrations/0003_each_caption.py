"""Draws in which equal captions have a chance each."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("queries", "0002_changes_are_kept")]

    operations = [
        migrations.AddField(
            model_name="draw",
            name="each_caption",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether equal captions had a chance each, as in the paper; otherwise they had one together.",
            ),
        ),
        migrations.AddField(
            model_name="querydraw",
            name="each_caption",
            field=models.BooleanField(db_default=False, default=False, help_text="As in Draw."),
        ),
    ]
