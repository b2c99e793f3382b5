"""After which grades factors are asked becomes a setting of the collection."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("foundation", "0007_context_and_comparison")]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="factors_asked",
            field=models.CharField(
                choices=[
                    ("never", "never"),
                    ("every", "after every grade"),
                    ("between", "after every grade but the lowest and the highest"),
                ],
                db_default="never",
                default="never",
                help_text="After which grades the collection's factors are asked.",
                max_length=7,
            ),
        ),
    ]
