"""Whether annotators may look at the seconds around a moment, and at the last clips of its query that they judged."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("foundation", "0006_evidence")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="context_seconds",
            field=models.FloatField(
                db_default=0.0,
                default=0.0,
                help_text="Seconds before and after a moment that annotators may look at while they judge it; 0: none.",
                validators=[
                    django.core.validators.MinValueValidator(0.0),
                    django.core.validators.MaxValueValidator(60.0),
                ],
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="compare_clips",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether annotators may look at the last clips of the same query that they judged themselves.",
            ),
        ),
    ]
