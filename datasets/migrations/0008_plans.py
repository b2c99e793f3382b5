"""Plans of queries and cost, in the trail of changes."""

import django.db.models.deletion
from django.db import migrations, models

from foundation.audit.triggers import JOB, watch


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0007_board_estimates"),
        ("foundation", "0003_discarded_names"),
    ]

    operations = [
        migrations.CreateModel(
            name="Plan",
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
                ("asked", models.JSONField(help_text="datasets.planning.services.Asked as JSON.")),
                (
                    "result",
                    models.JSONField(
                        blank=True, help_text="datasets.planning.jobs.Found as JSON; empty: none yet.", null=True
                    ),
                ),
                (
                    "chosen",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="The row of its result that the collection goes by; empty: none.",
                        null=True,
                    ),
                ),
                ("chosen_at", models.DateTimeField(blank=True, null=True)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="plans", to="foundation.collection"
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
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["queued", "running", "done", "refused", "stopped"])),
                        name="plan_state",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["queued", "running"])),
                        fields=("collection",),
                        name="one_unfinished_plan_a_collection",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("chosen__isnull", False)),
                        fields=("collection",),
                        name="one_chosen_plan_a_collection",
                    ),
                ],
            },
        ),
        watch("datasets_plan", quiet=(*JOB, "result")),
    ]
