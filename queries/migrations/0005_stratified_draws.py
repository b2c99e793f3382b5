from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("queries", "0004_faithfulness_and_decisions"),
    ]

    operations = [
        migrations.AddField(
            model_name="draw",
            name="stratify",
            field=models.CharField(
                blank=True,
                default="",
                help_text="By what of their videos the captions were told apart, so that each had its share; empty: nothing.",
                max_length=200,
            ),
            preserve_default=False,
        ),
    ]
