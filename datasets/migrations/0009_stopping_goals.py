"""Goals of judging, and looks at what is settled; changes of both are kept."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from foundation.audit.triggers import JOB, watch

OF_GOAL = "SELECT collection_id FROM datasets_stoppinggoal WHERE id = ($1->>'goal_id')::bigint"


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0004_sampling_designs"),
        ("datasets", "0008_plans"),
        ("foundation", "0003_discarded_names"),
    ]

    operations = [
        migrations.CreateModel(
            name="StoppingGoal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "split",
                    models.CharField(
                        blank=True, help_text="Of its queries; empty: all that the design draws.", max_length=4
                    ),
                ),
                (
                    "runs",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), help_text="Ids of runs of the pool.", size=None
                    ),
                ),
                ("measure", models.CharField(max_length=100)),
                (
                    "first",
                    models.PositiveIntegerField(
                        help_text="So many of the best are to be in order, and above all others."
                    ),
                ),
                ("level", models.FloatField()),
                (
                    "margin",
                    models.FloatField(blank=True, help_text="Closer scores are alike; empty: none are.", null=True),
                ),
                (
                    "open_next",
                    models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        help_text="So many more are opened whenever few are left to judge; 0: none by itself.",
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, help_text="Empty: it is the current one.", null=True)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stopping_goals",
                        to="foundation.collection",
                    ),
                ),
                (
                    "judge",
                    models.ForeignKey(
                        blank=True,
                        help_text="Whose grades help.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
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
        ),
        migrations.CreateModel(
            name="StoppingLook",
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
                    "judged",
                    models.PositiveIntegerField(
                        blank=True, help_text="Queries judged then; empty: none yet.", null=True
                    ),
                ),
                (
                    "result",
                    models.JSONField(
                        blank=True, help_text="evaluation.guarantees.stopping.Look; empty: none yet.", null=True
                    ),
                ),
                (
                    "goal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="looks", to="datasets.stoppinggoal"
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
            model_name="stoppinggoal",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at", None)), fields=("collection",), name="one_stopping_goal_a_collection"
            ),
        ),
        migrations.AddConstraint(
            model_name="stoppinggoal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("first__gte", 1),
                    ("level__gt", 0),
                    ("level__lt", 1),
                    models.Q(("margin", None), ("margin__gt", 0), _connector="OR"),
                ),
                name="stopping_goal_numbers",
            ),
        ),
        migrations.AddConstraint(
            model_name="stoppinglook",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["queued", "running", "done", "refused", "stopped"])),
                name="stoppinglook_state",
            ),
        ),
        migrations.AddConstraint(
            model_name="stoppinglook",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=("goal",),
                name="one_unfinished_look_a_goal",
            ),
        ),
        watch("datasets_stoppinggoal"),
        watch("datasets_stoppinglook", place=OF_GOAL, secret=("result",), quiet=JOB),
    ]
