"""Machine judges, what they say of candidates, and the jobs that ask them."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from foundation.audit.triggers import JOB, watch

OF_JUDGE = "SELECT collection_id FROM annotation_machinejudge WHERE id = ($1->>'judge_id')::bigint"


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0002_changes_are_kept"),
        ("foundation", "0003_discarded_names"),
        ("queries", "0005_captions_elsewhere_and_calibrations"),
    ]

    operations = [
        migrations.CreateModel(
            name="MachineJudge",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("server", "a model on a server"),
                            ("file", "a file or a program"),
                            ("similarity", "similarity, fitted on people's grades"),
                        ],
                        max_length=10,
                    ),
                ),
                ("model", models.CharField(max_length=200)),
                (
                    "version",
                    models.CharField(blank=True, help_text="A version or a digest of its weights.", max_length=200),
                ),
                (
                    "family",
                    models.CharField(
                        help_text="What it shares with systems that are scored, e.g. CLIP.", max_length=100
                    ),
                ),
                ("prompt_version", models.CharField(blank=True, max_length=60)),
                (
                    "guideline",
                    models.PositiveIntegerField(
                        blank=True, help_text="The version of the guideline that it was given; empty: none.", null=True
                    ),
                ),
                ("parameters", models.JSONField(default=dict, help_text="All else that its grades follow from.")),
                (
                    "frames",
                    models.PositiveSmallIntegerField(blank=True, help_text="Pictures a clip; empty: none.", null=True),
                ),
                ("declared_at", models.DateTimeField(auto_now_add=True)),
                (
                    "retired_at",
                    models.DateTimeField(blank=True, help_text="Its grades stay, and are used no more.", null=True),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="machine_judges",
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
        ),
        migrations.CreateModel(
            name="MachineJudging",
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
                (
                    "file_name",
                    models.CharField(blank=True, help_text="As the lead's machine calls it.", max_length=200),
                ),
                ("stored_file", models.CharField(blank=True, help_text="Its name in the storage.", max_length=300)),
                (
                    "price_in",
                    models.DecimalField(decimal_places=6, help_text="A million tokens sent.", max_digits=12, null=True),
                ),
                (
                    "price_out",
                    models.DecimalField(
                        decimal_places=6, help_text="A million tokens answered.", max_digits=12, null=True
                    ),
                ),
                (
                    "limit",
                    models.DecimalField(
                        decimal_places=6, help_text="What it may cost at most.", max_digits=12, null=True
                    ),
                ),
                ("found", models.JSONField(default=dict, help_text="What came of it, as counts.")),
                (
                    "judge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="judgings",
                        to="annotation.machinejudge",
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
            name="MachineReply",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        help_text="SHA-256 of clip's digest, frame times, query, prompt, model and parameters.",
                        max_length=64,
                    ),
                ),
                ("clip", models.CharField(help_text="The clip's digest.", max_length=64)),
                (
                    "frame_times",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.FloatField(), help_text="Seconds from the clip's beginning.", size=None
                    ),
                ),
                ("reply", models.JSONField(help_text="What the server answered, as it came.")),
                ("served_model", models.CharField(blank=True, max_length=200)),
                ("tokens_in", models.PositiveIntegerField(default=0)),
                ("tokens_out", models.PositiveIntegerField(default=0)),
                ("tries", models.PositiveSmallIntegerField(default=1, help_text="1 and the retries it took.")),
                (
                    "cost",
                    models.DecimalField(
                        blank=True, decimal_places=8, help_text="Empty: no prices.", max_digits=14, null=True
                    ),
                ),
                ("answered_at", models.DateTimeField(auto_now_add=True)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="machine_replies",
                        to="foundation.collection",
                    ),
                ),
                (
                    "judging",
                    models.ForeignKey(
                        help_text="The job that paid for it.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="replies",
                        to="annotation.machinejudging",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "machine replies",
            },
        ),
        migrations.CreateModel(
            name="MachineJudgment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("grade", models.PositiveSmallIntegerField(blank=True, help_text="Empty: it abstained.", null=True)),
                (
                    "distribution",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.FloatField(),
                        blank=True,
                        help_text="Probability of each grade from 0 on; empty: not told.",
                        null=True,
                        size=None,
                    ),
                ),
                (
                    "abstained",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "no"),
                            ("refused", "it refused"),
                            ("nonsense", "its answer has no grade"),
                            ("low mass", "too little of its answer is on grades"),
                            ("no clip", "there is nothing to show it"),
                            ("other", "it said so"),
                        ],
                        max_length=8,
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "candidate",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="machine_judgments",
                        to="queries.candidate",
                    ),
                ),
                (
                    "judge",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="judgments",
                        to="annotation.machinejudge",
                    ),
                ),
                (
                    "judging",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="judgments",
                        to="annotation.machinejudging",
                    ),
                ),
                (
                    "reply",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="judgments",
                        to="annotation.machinereply",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="machinejudge",
            constraint=models.UniqueConstraint(fields=("collection", "name"), name="one_machine_judge_a_name"),
        ),
        migrations.AddConstraint(
            model_name="machinejudge",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["server", "file", "similarity"])), name="machine_judge_kind"
            ),
        ),
        migrations.AddConstraint(
            model_name="machinejudging",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["queued", "running", "done", "refused", "stopped"])),
                name="machinejudging_state",
            ),
        ),
        migrations.AddConstraint(
            model_name="machinejudging",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=("judge",),
                name="one_unfinished_machine_judging_a_judge",
            ),
        ),
        migrations.AddConstraint(
            model_name="machinereply",
            constraint=models.UniqueConstraint(fields=("collection", "key"), name="one_machine_reply_a_key"),
        ),
        migrations.AddConstraint(
            model_name="machinejudgment",
            constraint=models.UniqueConstraint(fields=("judge", "candidate"), name="one_machine_judgment_a_candidate"),
        ),
        migrations.AddConstraint(
            model_name="machinejudgment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("grade__isnull", True), models.Q(("abstained", ""), _negated=True)),
                    models.Q(("abstained", ""), ("grade__gte", 0)),
                    _connector="OR",
                ),
                name="machine_grade_or_abstained",
            ),
        ),
        watch("annotation_machinejudge"),
        watch("annotation_machinejudging", place=OF_JUDGE, quiet=(*JOB, "found")),
    ]
