"""How much gold comes with people's work, and whether they are told its grade."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("foundation", "0008_factors_asked")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="gold_share",
            field=models.FloatField(
                db_default=0.0,
                default=0.0,
                help_text="Gold beside each person's work, as a share of it, 0 to 0.2; 0 gives none.",
                validators=[
                    django.core.validators.MinValueValidator(0.0),
                    django.core.validators.MaxValueValidator(0.2),
                ],
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="gold_feedback",
            field=models.CharField(
                choices=[
                    ("never", "never"),
                    ("at-once", "at once, when no more gold of that query is left to them"),
                ],
                db_default="never",
                default="never",
                help_text="Whether the known grade is told once gold was answered.",
                max_length=7,
            ),
        ),
    ]
