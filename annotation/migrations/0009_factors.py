"""Factors: questions beside the grade, and what was answered to them; what leads declare comes into the trail."""

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

from foundation.audit.triggers import watch


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0008_evidence_used"),
        ("foundation", "0008_factors_asked"),
    ]

    operations = [
        migrations.AddField(
            model_name="repeatanswer",
            name="factors",
            field=models.JSONField(blank=True, help_text="What was answered to factors: {key: value}.", null=True),
        ),
        migrations.CreateModel(
            name="Factor",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        max_length=30,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z][a-z0-9_-]*\\Z", "a lower-case letter, then letters, digits, - and _"
                            )
                        ],
                    ),
                ),
                (
                    "place",
                    models.PositiveSmallIntegerField(
                        help_text="Its place in the order in which they are asked, from 1."
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("question", models.CharField(max_length=200)),
                (
                    "answers",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40), help_text="Words of the values 0, 1, ...", size=None
                    ),
                ),
                ("may_skip", models.BooleanField(default=False, help_text="Whether “can't say” is an answer.")),
                (
                    "languages",
                    models.JSONField(
                        default=dict,
                        help_text="{language: {name, question, answers}}: for whoever reads the page in that language.",
                    ),
                ),
                (
                    "retired_at",
                    models.DateTimeField(blank=True, help_text="Since when it isn't asked any more.", null=True),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="factors", to="foundation.collection"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="JudgedFactor",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("value", models.PositiveSmallIntegerField(help_text="Empty: can't say.", null=True)),
                (
                    "factor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="judged", to="annotation.factor"
                    ),
                ),
                (
                    "judgment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="factors",
                        to="annotation.judgment",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="factor",
            constraint=models.UniqueConstraint(fields=("collection", "key"), name="one_factor_a_key"),
        ),
        migrations.AddConstraint(
            model_name="factor",
            constraint=models.CheckConstraint(
                condition=models.Q(("answers__len__gte", 2), ("answers__len__lte", 5)), name="factor_answers"
            ),
        ),
        migrations.AddConstraint(
            model_name="judgedfactor",
            constraint=models.UniqueConstraint(fields=("judgment", "factor"), name="one_answer_a_judgment_and_factor"),
        ),
        migrations.AddConstraint(
            model_name="judgedfactor",
            constraint=models.CheckConstraint(
                condition=models.Q(("value__isnull", True), ("value__lt", 5), _connector="OR"),
                name="judged_factor_value",
            ),
        ),
        watch("annotation_factor"),
    ]
