"""Imports and cutting come into the trail of changes."""

from django.db import migrations

from foundation.audit.triggers import JOB, watch


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("foundation", "0002_changes_are_kept"), ("corpus", "0001_initial")]

    operations = [
        watch("corpus_import", quiet=JOB),
        watch("corpus_videoimport", quiet=JOB),
        watch("corpus_clipcutting", quiet=(*JOB, "after")),
    ]
