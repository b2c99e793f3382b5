"""An import of judgments keeps the table by which it mapped grades."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0009_stopping_goals"),
    ]

    operations = [
        migrations.AddField(
            model_name="judgmentimport",
            name="grade_table",
            field=models.JSONField(
                blank=True,
                help_text="What the file's grades are on the collection's scale; empty: they are its.",
                null=True,
            ),
        ),
    ]
