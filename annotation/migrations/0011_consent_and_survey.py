"""Consent texts, who confirmed them, and the survey of annotators."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from foundation.audit.triggers import watch

OF_QUESTION = "SELECT collection_id FROM annotation_surveyquestion WHERE id = ($1->>'question_id')::bigint"


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0010_gold"),
        ("foundation", "0010_consent"),
    ]

    operations = [
        migrations.CreateModel(
            name="ConsentDraft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source", models.TextField()),
                ("edited_at", models.DateTimeField(auto_now=True)),
                (
                    "on_withdrawal",
                    models.CharField(
                        choices=[
                            ("kept", "they stay under the worker id, and count"),
                            ("undecided", "those of clips that aren't decided yet are taken back, the others stay"),
                        ],
                        default="kept",
                        max_length=9,
                    ),
                ),
                (
                    "collection",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="consent_draft",
                        to="foundation.collection",
                    ),
                ),
                (
                    "edited_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="foundation.membership"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="SurveyQuestion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("choice", "one of a list"),
                            ("number", "a number, in bands"),
                            ("language", "a language"),
                        ],
                        max_length=8,
                    ),
                ),
                ("text", models.CharField(max_length=300)),
                (
                    "options",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=100),
                        default=list,
                        help_text="Bands too; none of a language.",
                        size=None,
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("retired_at", models.DateTimeField(blank=True, null=True)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="survey_questions",
                        to="foundation.collection",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="foundation.membership"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SurveyCounted",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="foundation.membership"
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="counted",
                        to="annotation.surveyquestion",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SurveyAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("answer", models.CharField(help_text="One of the options, or a language (BCP 47).", max_length=100)),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="survey_answers",
                        to="foundation.membership",
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answers",
                        to="annotation.surveyquestion",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SurveySum",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("people", models.PositiveIntegerField()),
                ("told", models.JSONField()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sums", to="annotation.surveyquestion"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ConsentAct",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(choices=[("confirmed", "confirmed"), ("withdrawn", "withdrawn")], max_length=9),
                ),
                (
                    "version",
                    models.PositiveIntegerField(help_text="Of the text; of a withdrawal 0 where none was confirmed."),
                ),
                ("digest", models.CharField(blank=True, help_text="SHA-256 of that version's text.", max_length=64)),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="consent_acts",
                        to="foundation.membership",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["confirmed", "withdrawn"])), name="consent_act_kind"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ConsentText",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("source", models.TextField(help_text="Markdown.")),
                (
                    "note",
                    models.TextField(blank=True, help_text="What changed, for those who knew the version before."),
                ),
                ("published_at", models.DateTimeField(auto_now_add=True)),
                (
                    "on_withdrawal",
                    models.CharField(
                        choices=[
                            ("kept", "they stay under the worker id, and count"),
                            ("undecided", "those of clips that aren't decided yet are taken back, the others stay"),
                        ],
                        default="kept",
                        max_length=9,
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="consent_texts",
                        to="foundation.collection",
                    ),
                ),
                (
                    "published_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="foundation.membership",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("collection", "version"), name="one_consent_text_a_version"),
                    models.CheckConstraint(condition=models.Q(("version__gte", 1)), name="consent_text_version"),
                    models.CheckConstraint(
                        condition=models.Q(("on_withdrawal__in", ["kept", "undecided"])), name="consent_on_withdrawal"
                    ),
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="surveyquestion",
            constraint=models.UniqueConstraint(
                condition=models.Q(("retired_at", None)),
                fields=("collection", "text"),
                name="one_survey_question_a_text",
            ),
        ),
        migrations.AddConstraint(
            model_name="surveyquestion",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["choice", "number", "language"])), name="survey_kind"
            ),
        ),
        migrations.AddConstraint(
            model_name="surveycounted",
            constraint=models.UniqueConstraint(
                fields=("question", "annotator"), name="counted_once_a_question_and_person"
            ),
        ),
        migrations.AddConstraint(
            model_name="surveyanswer",
            constraint=models.UniqueConstraint(
                fields=("question", "annotator"), name="one_survey_answer_a_question_and_person"
            ),
        ),
        watch("annotation_consenttext"),
        watch("annotation_consentdraft", secret=("source",), quiet=("edited_at",)),
        watch("annotation_surveyquestion"),
        watch("annotation_surveysum", place=OF_QUESTION),
    ]
