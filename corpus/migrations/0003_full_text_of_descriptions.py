from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import migrations


class Migration(migrations.Migration):
    """Searching descriptions: an index on the words of their text."""

    dependencies = [("corpus", "0002_sessions_and_judging_settings")]

    operations = [
        migrations.AddIndex(
            model_name="description",
            index=GinIndex(SearchVector("text", config="english"), name="description_full_text"),
        ),
    ]
