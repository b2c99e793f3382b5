"""Releases are deposited at archives."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0011_provenance")]

    operations = [
        migrations.AddField(
            model_name="publication",
            name="final",
            field=models.BooleanField(
                db_default=False, default=False, help_text="An archive publishes the record, for good."
            ),
        ),
        migrations.AddField(
            model_name="publication",
            name="record",
            field=models.JSONField(
                db_default={}, default=dict, help_text="What an archive says of its record: doi, address, published."
            ),
        ),
    ]
