from django.db import migrations

from corpus.audit.triggers import JOB, unwatch, watch

TABLES = {"desk_runtoopen": watch("desk_runtoopen", quiet=JOB)}


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("corpus", "0030_changes_are_kept"), ("desk", "0001_run_to_open")]

    operations = [migrations.RunSQL(make, unwatch(table)) for table, make in TABLES.items()]
