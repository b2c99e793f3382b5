"""Captions made elsewhere and the checks' calibrations: their jobs, and what a brought caption stands in for."""

import django.db.models.deletion
from django.db import migrations, models

from foundation.audit.triggers import JOB, watch


class Migration(migrations.Migration):
    dependencies = [
        ("foundation", "0003_discarded_names"),
        ("queries", "0004_swapped_and_doubted"),
    ]

    operations = [
        migrations.AlterField(
            model_name="attempt",
            name="rewriter",
            field=models.CharField(
                help_text="openai, rules, as they are, import, elsewhere, or person for an edit.", max_length=20
            ),
        ),
        migrations.CreateModel(
            name="CaptionImport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "due_at",
                    models.DateTimeField(
                        blank=True, help_text="When its message in the queue is due; empty: none was sent.", null=True
                    ),
                ),
                (
                    "begun",
                    models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        help_text="How often a worker has begun since it was asked for or last went well.",
                    ),
                ),
                (
                    "touched_at",
                    models.DateTimeField(blank=True, help_text="When a worker last said how far it is.", null=True),
                ),
                (
                    "problem",
                    models.TextField(blank=True, db_default="", help_text="Why it ended without what was asked for."),
                ),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, help_text="When a worker last began.", null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("done", models.PositiveBigIntegerField(db_default=0, default=0, help_text="How much of it is done.")),
                (
                    "total",
                    models.PositiveBigIntegerField(
                        db_default=0, default=0, help_text="How much there is; 0: not known."
                    ),
                ),
                (
                    "step",
                    models.CharField(
                        blank=True, db_default="", help_text="What a worker is doing with it.", max_length=200
                    ),
                ),
                ("said", models.TextField(blank=True, db_default="", help_text="What came of it, in words.")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waits for a worker"),
                            ("running", "is under way"),
                            ("done", "done"),
                            ("refused", "refused"),
                            ("stopped", "stopped"),
                        ],
                        default="queued",
                        max_length=8,
                    ),
                ),
                ("file_name", models.CharField(help_text="As the lead's machine calls it.", max_length=200)),
                (
                    "stored_file",
                    models.CharField(
                        blank=True, help_text="Its name in the storage; empty where a command read it.", max_length=300
                    ),
                ),
                ("format", models.CharField(blank=True, help_text="Empty: to be guessed.", max_length=20)),
                ("charset", models.CharField(blank=True, help_text="Empty: to be detected.", max_length=20)),
                ("separator", models.CharField(blank=True, help_text="Of CSV; empty: to be detected.", max_length=10)),
                (
                    "made_by",
                    models.CharField(
                        blank=True, help_text="Who or what made the captions that don't say it.", max_length=200
                    ),
                ),
                (
                    "doing",
                    models.CharField(
                        choices=[("look", "look at the file"), ("import", "import it"), ("back", "take it back")],
                        max_length=6,
                    ),
                ),
                (
                    "found",
                    models.JSONField(
                        default=dict, help_text="Counts, the first rows, the first problems and how many."
                    ),
                ),
                ("taken_back_at", models.DateTimeField(blank=True, null=True)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="caption_imports",
                        to="foundation.collection",
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="foundation.membership",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="BroughtCaption",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "before_status",
                    models.CharField(blank=True, help_text="The caption's until then; empty: none.", max_length=8),
                ),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="brought", to="queries.attempt"
                    ),
                ),
                (
                    "before",
                    models.ForeignKey(
                        help_text="The caption's attempt until then.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="queries.attempt",
                    ),
                ),
                (
                    "brought_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="brought", to="queries.captionimport"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CheckCalibration",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "due_at",
                    models.DateTimeField(
                        blank=True, help_text="When its message in the queue is due; empty: none was sent.", null=True
                    ),
                ),
                (
                    "begun",
                    models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        help_text="How often a worker has begun since it was asked for or last went well.",
                    ),
                ),
                (
                    "touched_at",
                    models.DateTimeField(blank=True, help_text="When a worker last said how far it is.", null=True),
                ),
                (
                    "problem",
                    models.TextField(blank=True, db_default="", help_text="Why it ended without what was asked for."),
                ),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, help_text="When a worker last began.", null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("done", models.PositiveBigIntegerField(db_default=0, default=0, help_text="How much of it is done.")),
                (
                    "total",
                    models.PositiveBigIntegerField(
                        db_default=0, default=0, help_text="How much there is; 0: not known."
                    ),
                ),
                (
                    "step",
                    models.CharField(
                        blank=True, db_default="", help_text="What a worker is doing with it.", max_length=200
                    ),
                ),
                ("said", models.TextField(blank=True, db_default="", help_text="What came of it, in words.")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waits for a worker"),
                            ("running", "is under way"),
                            ("done", "done"),
                            ("refused", "refused"),
                            ("stopped", "stopped"),
                        ],
                        default="queued",
                        max_length=8,
                    ),
                ),
                ("captions", models.PositiveIntegerField(help_text="How many right ones to take at most.")),
                ("seed", models.PositiveIntegerField(default=1, help_text="By which they are drawn.")),
                (
                    "style",
                    models.CharField(blank=True, help_text="The rewriting style that was measured.", max_length=8),
                ),
                (
                    "encoder",
                    models.CharField(
                        blank=True, help_text="Its label: the model's name and its pooling.", max_length=400
                    ),
                ),
                (
                    "identity",
                    models.CharField(blank=True, help_text="With the fingerprint of its weights.", max_length=200),
                ),
                ("similarity", models.FloatField(blank=True, help_text="The proposed threshold.", null=True)),
                ("kept", models.FloatField(blank=True, help_text="The proposed threshold of words kept.", null=True)),
                ("found", models.JSONField(default=dict, help_text="Captions by kind, and error rates by threshold.")),
                (
                    "adopted_at",
                    models.DateTimeField(
                        blank=True, help_text="When its thresholds last became the settings.", null=True
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="check_calibrations",
                        to="foundation.collection",
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="foundation.membership",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.AddConstraint(
            model_name="captionimport",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["queued", "running", "done", "refused", "stopped"])),
                name="captionimport_state",
            ),
        ),
        migrations.AddConstraint(
            model_name="captionimport",
            constraint=models.CheckConstraint(
                condition=models.Q(("doing__in", ["look", "import", "back"])), name="caption_import_doing"
            ),
        ),
        migrations.AddConstraint(
            model_name="captionimport",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=("collection",),
                name="one_unfinished_caption_import_a_collection",
            ),
        ),
        migrations.AddConstraint(
            model_name="checkcalibration",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["queued", "running", "done", "refused", "stopped"])),
                name="checkcalibration_state",
            ),
        ),
        migrations.AddConstraint(
            model_name="checkcalibration",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=("collection",),
                name="one_unfinished_check_calibration_a_collection",
            ),
        ),
        watch("queries_captionimport", quiet=(*JOB, "found")),
        watch("queries_checkcalibration", quiet=(*JOB, "found")),
    ]
