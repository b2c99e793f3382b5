"""A pool's least relevant grade may be one of 0 to 100."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("foundation", "0004_grade_scales"),
        ("queries", "0005_captions_elsewhere_and_calibrations"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="poolplan",
            name="pool_plan_least_grade",
        ),
        migrations.AddConstraint(
            model_name="poolplan",
            constraint=models.CheckConstraint(
                condition=models.Q(("least_grade__gte", 1), ("least_grade__lte", 100)), name="pool_plan_least_grade"
            ),
        ),
    ]
