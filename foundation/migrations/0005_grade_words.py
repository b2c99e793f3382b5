"""A collection's grades may have words and colours of their own."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("foundation", "0004_grade_scales"),
    ]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="grade_words",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="Own words and colours of its grades, as annotation/scale.py writes them; empty: the usual.",
            ),
        ),
    ]
