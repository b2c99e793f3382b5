from django.db import migrations

from corpus.audit.triggers import JOB, unwatch, watch

OF_DESCRIPTION = "SELECT collection_id FROM corpus_description WHERE id = ($1->>'description_id')::bigint"
TABLES = {
    # How captions come is a job's work; what becomes of them is decided.
    "queries_caption": watch(
        "queries_caption", place=OF_DESCRIPTION, quiet=("in_pool", "asked_again_at"), operations=("update", "delete")
    ),
    "queries_query": watch("queries_query", quiet=("ranked_by",)),
    "queries_draw": watch("queries_draw"),
    "queries_candidatefetch": watch("queries_candidatefetch", quiet=JOB),
    "queries_querydraw": watch("queries_querydraw", quiet=JOB),
    "queries_rewritejob": watch("queries_rewritejob", quiet=JOB),
    "queries_llmserver": watch("queries_llmserver", place="SELECT NULL::bigint", secret=("key", "key_end")),
    "queries_llmchoice": watch("queries_llmchoice", secret=("key", "key_end")),
}


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("corpus", "0030_changes_are_kept"), ("queries", "0015_runs_and_recipes")]

    operations = [migrations.RunSQL(make, unwatch(table)) for table, make in TABLES.items()]
