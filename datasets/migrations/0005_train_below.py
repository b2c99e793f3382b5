"""Releases that leave near-duplicates of val and test queries out of training."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0004_judgment_audits")]

    operations = [
        migrations.AddField(
            model_name="releasejob",
            name="train_below",
            field=models.FloatField(
                blank=True,
                help_text="Pseudo-training queries with this cosine to a val or test query are left out; empty: none are.",
                null=True,
            ),
        ),
    ]
