"""What annotators used beside the picture stands with their judgments, and with their answers to hidden repeats."""

import django.contrib.postgres.fields
from django.db import migrations, models

USED = [("context", "the seconds before and after"), ("sound", "sound"), ("subtitles", "subtitles")]


def used(help_text: str) -> django.contrib.postgres.fields.ArrayField:
    kind = models.CharField(max_length=9, choices=USED)
    return django.contrib.postgres.fields.ArrayField(kind, blank=True, null=True, help_text=help_text, size=None)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0007_papers_words_stay")]

    operations = [
        migrations.AddField("judgment", "used", used("What its annotator used beside the picture; null: not known.")),
        migrations.AddField("repeatanswer", "used", used("As of a judgment.")),
    ]
