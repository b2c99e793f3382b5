"""Boards that are estimated with a machine judge's help."""

import django.db.models.deletion
from django.db import migrations, models

from foundation.audit.triggers import JOB, watch

OF_RELEASE = "SELECT collection_id FROM datasets_release WHERE id = ($1->>'release_id')::bigint"


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0003_machine_judges"),
        ("datasets", "0006_machine_help"),
    ]

    operations = [
        migrations.CreateModel(
            name="BoardEstimate",
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
                ("split", models.CharField(choices=[("val", "val"), ("test", "test")], max_length=4)),
                (
                    "systems",
                    models.JSONField(
                        help_text="The runs: name, team, from (pool or leaderboard), id and SHA-256 of the file."
                    ),
                ),
                (
                    "families",
                    models.JSONField(default=dict, help_text="name -> the family that the run shares with judges."),
                ),
                (
                    "result",
                    models.JSONField(
                        blank=True, help_text="As datasets.guarantees.estimate; empty: none yet.", null=True
                    ),
                ),
                (
                    "judge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="board_estimates",
                        to="annotation.machinejudge",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="estimates", to="datasets.release"
                    ),
                ),
            ],
            options={
                "abstract": False,
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["queued", "running", "done", "refused", "stopped"])),
                        name="boardestimate_state",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("split__in", ["val", "test"])), name="board_estimate_split"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["queued", "running"])),
                        fields=("release",),
                        name="one_unfinished_estimate_a_release",
                    ),
                ],
            },
        ),
        watch("datasets_boardestimate", place=OF_RELEASE, secret=("systems", "result"), quiet=JOB),
    ]
