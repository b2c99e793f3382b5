"""A later release is deposited as a new version of an earlier one's record."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0014_claims")]

    operations = [
        migrations.AddField(
            model_name="publication",
            name="new_record",
            field=models.BooleanField(
                db_default=False, default=False, help_text="No new version of an earlier release's record."
            ),
        ),
        migrations.AlterField(
            model_name="publication",
            name="record",
            field=models.JSONField(
                db_default={}, default=dict, help_text="What an archive says of its record (`Target.outcome`)."
            ),
        ),
    ]
