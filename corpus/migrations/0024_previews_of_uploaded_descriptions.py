import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0023_languages")]

    operations = [
        migrations.AddField(
            model_name="videoupload",
            name="preview",
            field=models.ForeignKey(
                help_text="Where a file of descriptions waits.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="corpus.importpreview",
            ),
        ),
    ]
