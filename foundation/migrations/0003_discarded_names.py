"""Which names that the tagger found do not count becomes a setting of the collection."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("foundation", "0002_changes_are_kept"),
    ]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="discarded_names",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(
                    choices=[
                        ("listed", "listed: peoples, places, brands and days that Qreels knows"),
                        ("thing", "thing: where English has a thing, as in “his Vicodin”, “the Voyager probe”"),
                        ("letters", "letters: capitals inside a sentence that stand for something, as in “an MRI”"),
                        ("opening", "opening: an ordinary word that opens a sentence, as in “Cars pull up”"),
                    ],
                    max_length=8,
                ),
                blank=True,
                db_default=models.Value(
                    [], django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=8), size=None)
                ),
                default=list,
                help_text="Which names that the tagger found don't count, by why they may be none; empty: all count.",
                size=None,
            ),
        ),
    ]
