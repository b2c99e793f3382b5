from django.db import migrations

from corpus.audit.triggers import JOB, unwatch, watch

OF_BATCH = "SELECT collection_id FROM annotation_batch WHERE id = ($1->>'batch_id')::bigint"
OF_PAIR = (
    "SELECT b.collection_id FROM annotation_pair p JOIN annotation_batch b ON b.id = p.batch_id"
    " WHERE p.id = ($1->>'pair_id')::bigint"
)
OF_MEMBER = "SELECT collection_id FROM corpus_membership WHERE id = ($1->>'{}')::bigint"
# What people wrote about people has a time after which it goes (docs/retention.md): it isn't kept here besides.
TABLES = {
    "annotation_review": watch("annotation_review", place=OF_BATCH),
    "annotation_formerreview": watch("annotation_formerreview", place=OF_BATCH),
    "annotation_adjudication": watch("annotation_adjudication", place=OF_PAIR, secret=("reason",)),
    # What annotators raise and ask has its own rows; the leads' answers are changes of these.
    "annotation_flag": watch(
        "annotation_flag", place=OF_PAIR, secret=("note", "answer"), quiet=("read_at",), operations=("update",)
    ),
    "annotation_question": watch(
        "annotation_question", place=OF_PAIR, secret=("text", "answer"), quiet=("read_at",), operations=("update",)
    ),
    "annotation_notice": watch("annotation_notice", secret=("text",)),
    "annotation_guideline": watch("annotation_guideline"),
    "annotation_invitation": watch("annotation_invitation", secret=("digest", "label")),
    "annotation_exam": watch("annotation_exam"),
    "annotation_opening": watch("annotation_opening", quiet=JOB),
    "annotation_study": watch("annotation_study", quiet=JOB),
    "annotation_statuschange": watch(
        "annotation_statuschange", place=OF_MEMBER.format("member_id"), secret=("reason",)
    ),
    "annotation_alertdismissal": watch(
        "annotation_alertdismissal", place=OF_MEMBER.format("member_id"), secret=("told", "note")
    ),
    "annotation_timecorrection": watch(
        "annotation_timecorrection", place=OF_MEMBER.format("annotator_id"), secret=("seconds", "reason")
    ),
    "annotation_ratechange": watch(
        "annotation_ratechange", place=OF_MEMBER.format("member_id"), secret=("before", "after")
    ),
    "annotation_assignment": watch(
        "annotation_assignment",
        place="SELECT collection_id FROM queries_query WHERE id = ($1->>'query_id')::bigint",
    ),
}


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("corpus", "0030_changes_are_kept"), ("annotation", "0025_spans_set_by_leads")]

    operations = [migrations.RunSQL(make, unwatch(table)) for table, make in TABLES.items()]
