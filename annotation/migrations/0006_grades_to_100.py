"""Grades of a scale of 0 to 100 can be stored."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0005_scope_of_machine_judgings"),
        ("corpus", "0002_changes_are_kept"),
        ("foundation", "0004_grade_scales"),
        ("queries", "0005_captions_elsewhere_and_calibrations"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="adjudication",
            name="adjudication_grade",
        ),
        migrations.RemoveConstraint(
            model_name="examanswer",
            name="exam_answer_grade",
        ),
        migrations.RemoveConstraint(
            model_name="examitem",
            name="exam_item_truth",
        ),
        migrations.RemoveConstraint(
            model_name="judgment",
            name="judgment_grade",
        ),
        migrations.RemoveConstraint(
            model_name="pair",
            name="grade_only_with_consensus",
        ),
        migrations.RemoveConstraint(
            model_name="practiceanswer",
            name="practice_answer_grade",
        ),
        migrations.RemoveConstraint(
            model_name="repeatanswer",
            name="repeat_answer_grade",
        ),
        migrations.RemoveConstraint(
            model_name="workeditem",
            name="worked_item_grade",
        ),
        migrations.AddConstraint(
            model_name="adjudication",
            constraint=models.CheckConstraint(
                condition=models.Q(("grade__gte", 0), ("grade__lte", 100)), name="adjudication_grade"
            ),
        ),
        migrations.AddConstraint(
            model_name="examanswer",
            constraint=models.CheckConstraint(condition=models.Q(("grade__lte", 100)), name="exam_answer_grade"),
        ),
        migrations.AddConstraint(
            model_name="examitem",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("truth__isnull", True), models.Q(("truth__gte", 0), ("truth__lte", 100)), _connector="OR"
                ),
                name="exam_item_truth",
            ),
        ),
        migrations.AddConstraint(
            model_name="judgment",
            constraint=models.CheckConstraint(
                condition=models.Q(("grade__gte", 0), ("grade__lte", 100)), name="judgment_grade"
            ),
        ),
        migrations.AddConstraint(
            model_name="pair",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("grade__gte", 0), ("grade__lte", 100), ("status", "consensus")),
                    models.Q(models.Q(("status", "consensus"), _negated=True), ("grade__isnull", True)),
                    _connector="OR",
                ),
                name="grade_only_with_consensus",
            ),
        ),
        migrations.AddConstraint(
            model_name="practiceanswer",
            constraint=models.CheckConstraint(condition=models.Q(("grade__lte", 100)), name="practice_answer_grade"),
        ),
        migrations.AddConstraint(
            model_name="repeatanswer",
            constraint=models.CheckConstraint(condition=models.Q(("grade__lte", 100)), name="repeat_answer_grade"),
        ),
        migrations.AddConstraint(
            model_name="workeditem",
            constraint=models.CheckConstraint(
                condition=models.Q(("grade__isnull", True), ("grade__lte", 100), _connector="OR"),
                name="worked_item_grade",
            ),
        ),
    ]
