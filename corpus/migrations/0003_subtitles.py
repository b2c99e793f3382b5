"""What is said in videos."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("corpus", "0002_changes_are_kept"),
    ]

    operations = [
        migrations.CreateModel(
            name="Subtitles",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "language",
                    models.CharField(blank=True, help_text="BCP 47, e.g. en; empty: not stated.", max_length=35),
                ),
                ("source", models.CharField(help_text="The file that they came from.", max_length=700)),
                (
                    "track_of",
                    models.CharField(
                        blank=True,
                        help_text="The fingerprint of the video's file whose track they are; empty: a file's.",
                        max_length=64,
                    ),
                ),
                ("cues", models.JSONField(help_text="[start, end, text], in seconds of the video, by start.")),
                ("imported_at", models.DateTimeField(auto_now=True)),
                (
                    "video",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="subtitles",
                        to="corpus.video",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("video", "language"), name="one_subtitles_a_language")],
            },
        ),
    ]
