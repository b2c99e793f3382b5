"""Pictures, clips and sounds that are queries."""

import django.db.models.deletion
from django.db import migrations, models

import foundation.models.public_names
from foundation.audit.triggers import watch

OF_QUERY = "SELECT collection_id FROM queries_query WHERE id = ($1->>'query_id')::bigint"


class Migration(migrations.Migration):
    dependencies = [("queries", "0006_grades_to_100")]

    operations = [
        migrations.CreateModel(
            name="QueryMedium",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("picture", "picture"), ("clip", "clip"), ("sound", "sound")], max_length=7
                    ),
                ),
                (
                    "alone",
                    models.BooleanField(
                        default=False,
                        help_text="Instead of words: the query's text is a label that annotators don't read.",
                    ),
                ),
                (
                    "public_name",
                    models.CharField(
                        default=foundation.models.public_names.new_public_name, max_length=32, unique=True
                    ),
                ),
                ("suffix", models.CharField(help_text="Of its file's type, such as jpg.", max_length=4)),
                ("media_file", models.CharField(help_text="Its name in the storage.", max_length=300)),
                ("size", models.PositiveBigIntegerField(help_text="Bytes.")),
                ("sha256", models.CharField(max_length=64)),
                (
                    "query",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="medium", to="queries.query"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "query media",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["picture", "clip", "sound"])), name="query_medium_kind"
                    )
                ],
            },
        ),
        watch("queries_querymedium", place=OF_QUERY),
    ]
