"""Grades go to 100, in steps, and other rules than the paper's decide."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("foundation", "0003_discarded_names"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="collection",
            name="collection_consensus_rule",
        ),
        migrations.AddField(
            model_name="collection",
            name="consensus_rule",
            field=models.CharField(
                choices=[
                    ("paper", "paper: mean, without the highest and lowest of both rounds"),
                    ("mean", "mean: of all grades"),
                    ("median", "median: of all grades"),
                    ("majority", "majority: the grade of more than half"),
                ],
                db_default="paper",
                default="paper",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="grade_step",
            field=models.PositiveSmallIntegerField(
                db_default=1,
                default=1,
                help_text="What grades are multiples of: 1; of a top grade of 100 also 5, 10, 20, 25.",
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="trimmed_grades",
            field=models.PositiveSmallIntegerField(
                db_default=1,
                default=1,
                help_text="By the paper's rule: how many highest and lowest grades of both rounds go.",
            ),
        ),
        migrations.AlterField(
            model_name="collection",
            name="auto_extend_from",
            field=models.FloatField(
                blank=True,
                help_text="A batch whose last five grades average at least this is extended without a review; empty: never.",
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(0.0),
                    django.core.validators.MaxValueValidator(100),
                ],
            ),
        ),
        migrations.AlterField(
            model_name="collection",
            name="auto_finish_to",
            field=models.FloatField(
                blank=True,
                help_text="A batch whose last five grades average at most this is finished without a review; empty: never.",
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(0.0),
                    django.core.validators.MaxValueValidator(100),
                ],
            ),
        ),
        migrations.AlterField(
            model_name="collection",
            name="rounding",
            field=models.CharField(
                choices=[("up", "up"), ("down", "down"), ("nearest", "to the nearest, halves up")],
                default="up",
                max_length=7,
            ),
        ),
        migrations.AlterField(
            model_name="collection",
            name="top_grade",
            field=models.PositiveSmallIntegerField(default=4, help_text="Grades go from 0 to this: 1 to 4, or 100."),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("grade_step", 1), ("top_grade__gte", 1), ("top_grade__lte", 4)),
                    models.Q(("grade_step__in", (1, 5, 10, 20, 25)), ("top_grade", 100)),
                    _connector="OR",
                ),
                name="collection_scale",
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("first_round_people__gte", 1), ("first_round_people__lte", 9), ("second_round_people__lte", 9)
                ),
                name="collection_consensus_rule",
            ),
        ),
    ]
