"""Moments keep the ids that they have elsewhere."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0004_content")]

    operations = [
        migrations.AddField(
            model_name="moment",
            name="external_id",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Its id elsewhere, such as a shot's, one a moment of a collection; empty: none.",
                max_length=64,
            ),
        ),
    ]
