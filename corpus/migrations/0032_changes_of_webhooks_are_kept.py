"""Who made, stopped, started or removed a webhook is kept in the trail."""

from django.db import migrations

from corpus.audit.triggers import JOB, unwatch, watch


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("corpus", "0031_webhooks")]

    operations = [
        migrations.RunSQL(
            watch("corpus_webhook", secret=("secret", "made_by_id"), quiet=(*JOB, "alerts_told")),
            unwatch("corpus_webhook"),
        ),
    ]
