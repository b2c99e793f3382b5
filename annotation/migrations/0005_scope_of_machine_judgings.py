"""Of which candidates a job has a machine judge asked."""

from django.db import migrations, models
from django.db.models import Value


class Migration(migrations.Migration):
    dependencies = [("annotation", "0004_sampling_designs")]

    operations = [
        migrations.AddField(
            model_name="machinejudging",
            name="scope",
            field=models.JSONField(
                db_default=Value({}, models.JSONField()),
                default=dict,
                help_text="Of which candidates: split, ranks, some; empty: of all.",
            ),
        ),
    ]
