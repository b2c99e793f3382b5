"""Releases that have posteriors of grades, or what machine judges said."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0005_train_below")]

    operations = [
        migrations.AddField(
            model_name="releasejob",
            name="posteriors",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Whether it says how likely each grade of a pair is."
            ),
        ),
        migrations.AddField(
            model_name="releasejob",
            name="machine_judges",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=60),
                db_default=[],
                default=list,
                help_text="Names of the machine judges whose grades it has, in a file of their own.",
                size=None,
            ),
        ),
    ]
