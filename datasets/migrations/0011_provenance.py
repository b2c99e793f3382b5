"""Releases that say what judgments and captions come from."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0010_grade_tables")]

    operations = [
        migrations.AddField(
            model_name="releasejob",
            name="provenance",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether it says what each judgment and caption comes from.",
            ),
        ),
    ]
