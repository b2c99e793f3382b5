"""What a caption exchanged, and names that may be none, are kept with each attempt."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("queries", "0003_each_caption"),
    ]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="doubted_names",
            field=models.JSONField(
                db_default=models.Value([], models.JSONField()),
                default=list,
                help_text='Names above the threshold that may be none: [{"text": "MRI", "score": 0.9, "reasons": ["letters"], "discarded": false}].',
            ),
        ),
        migrations.AddField(
            model_name="attempt",
            name="swaps",
            field=models.JSONField(
                db_default=models.Value([], models.JSONField()),
                default=list,
                help_text='What stands in another\'s place: [{"check": "words", "before": "beer", "after": "wine"}].',
            ),
        ),
        migrations.AddField(
            model_name="attempt",
            name="gender_passed",
            field=models.BooleanField(db_default=True, default=True),
        ),
        migrations.AddField(
            model_name="attempt",
            name="roles_passed",
            field=models.BooleanField(db_default=True, default=True),
        ),
        migrations.AddField(
            model_name="attempt",
            name="words_passed",
            field=models.BooleanField(db_default=True, default=True),
        ),
    ]
