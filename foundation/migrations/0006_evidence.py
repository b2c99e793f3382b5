"""What of a clip the guideline asks for becomes a setting of the collection."""

import django.contrib.postgres.fields
from django.db import migrations, models

import foundation.models.collection_settings


class Migration(migrations.Migration):
    dependencies = [
        ("foundation", "0005_grade_words"),
    ]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="evidence",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(
                    choices=[("picture", "picture"), ("sound", "sound"), ("subtitles", "subtitles")], max_length=9
                ),
                db_default=models.Value(
                    ["picture"],
                    django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=9), size=None),
                ),
                default=foundation.models.collection_settings.default_evidence,
                help_text="What of a clip the guideline asks for.",
                size=None,
            ),
        ),
    ]
