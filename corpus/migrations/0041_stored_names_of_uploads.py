from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0040_collections_have_a_language")]

    operations = [
        migrations.AddField(
            model_name="videoupload",
            name="stored_as",
            field=models.CharField(
                blank=True,
                db_default="",
                help_text="In its collection's folder; empty: as its public name.",
                max_length=700,
            ),
        ),
    ]
