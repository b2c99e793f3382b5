"""What somebody may not want to see of a video, and what is hidden of it, become columns and a table."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("corpus", "0003_subtitles"),
    ]

    operations = [
        migrations.AddField(
            model_name="video",
            name="content",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=40),
                blank=True,
                db_default=[],
                default=list,
                help_text="What somebody may not want to see: violence, say.",
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="video",
            name="minimum_age",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="Years of age from which on people are given it; 0: whatever they are.",
            ),
        ),
        migrations.CreateModel(
            name="HiddenRegion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "start",
                    models.FloatField(
                        blank=True, help_text="Seconds in the video; empty: from its beginning.", null=True
                    ),
                ),
                ("end", models.FloatField(blank=True, help_text="Seconds in the video; empty: to its end.", null=True)),
                ("x", models.FloatField(default=0.0)),
                ("y", models.FloatField(default=0.0)),
                ("width", models.FloatField(default=1.0)),
                ("height", models.FloatField(default=1.0)),
                (
                    "mask_file",
                    models.CharField(blank=True, help_text="A picture, by its name in the storage.", max_length=300),
                ),
                (
                    "video",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="hidden_regions", to="corpus.video"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("height__gt", 0),
                            ("width__gt", 0),
                            ("x__gte", 0),
                            ("y__gte", 0),
                            (
                                "height__lte",
                                django.db.models.expressions.CombinedExpression(
                                    models.Value(1.000001), "-", models.F("y")
                                ),
                            ),
                            (
                                "width__lte",
                                django.db.models.expressions.CombinedExpression(
                                    models.Value(1.000001), "-", models.F("x")
                                ),
                            ),
                        ),
                        name="hidden_region_in_picture",
                    )
                ],
            },
        ),
    ]
