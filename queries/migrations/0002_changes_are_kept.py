"""What becomes of captions and queries comes into the trail of changes."""

from django.db import migrations

from foundation.audit.triggers import JOB, watch

OF_DESCRIPTION = "SELECT collection_id FROM corpus_description WHERE id = ($1->>'description_id')::bigint"


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("foundation", "0002_changes_are_kept"), ("queries", "0001_initial")]

    operations = [
        watch(
            "queries_caption",
            place=OF_DESCRIPTION,
            quiet=("in_pool", "asked_again_at"),
            operations=("update", "delete"),
        ),
        watch("queries_query", quiet=("ranked_by",)),
        watch("queries_draw"),
        watch("queries_candidatefetch", quiet=JOB),
        watch("queries_querydraw", quiet=JOB),
        watch("queries_rewritejob", quiet=JOB),
        watch("queries_llmserver", place="SELECT NULL::bigint", secret=("key", "key_end")),
        watch("queries_llmchoice", secret=("key", "key_end")),
        watch("queries_poolrun"),
        watch("queries_poolplan"),
        watch("queries_poolrunaddition", quiet=JOB),
        watch("queries_poolmaking", quiet=JOB),
        watch("queries_topicimport", quiet=JOB),
    ]
