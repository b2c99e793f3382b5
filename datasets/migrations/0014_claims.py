"""A check of a release keeps what it found of each claim."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0013_signatures")]

    operations = [
        migrations.AddField(
            model_name="releasecheck",
            name="claims",
            field=models.JSONField(
                db_default=[], default=list, help_text="What it found of each claim, as `Claim.as_data`."
            ),
        ),
    ]
