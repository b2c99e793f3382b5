"""A collection may hold the pairs that a collection's gold of exams has, and nothing else."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("foundation", "0012_content"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="collection", name="study_has_its_collection"),
        migrations.AlterField(
            model_name="collection",
            name="purpose",
            field=models.CharField(
                choices=[("main", "collection"), ("pilot", "pilot"), ("depth", "depth study"), ("gold", "Gold")],
                default="main",
                max_length=5,
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=Q(purpose="main", study_of__isnull=True)
                | Q(purpose__in=["pilot", "depth", "gold"], study_of__isnull=False),
                name="study_has_its_collection",
            ),
        ),
    ]
