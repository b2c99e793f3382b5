"""What leads decide comes into the trail of changes; judgments stay."""

from django.db import migrations

from foundation.audit.triggers import JOB, watch, watch_columns

OF_BATCH = "SELECT collection_id FROM annotation_batch WHERE id = ($1->>'batch_id')::bigint"
OF_PAIR = (
    "SELECT b.collection_id FROM annotation_pair p JOIN annotation_batch b ON b.id = p.batch_id"
    " WHERE p.id = ($1->>'pair_id')::bigint"
)
OF_MEMBER = "SELECT collection_id FROM foundation_membership WHERE id = ($1->>'{}')::bigint"
OF_EXAM = "SELECT collection_id FROM annotation_exam WHERE id = ($1->>'exam_id')::bigint"
WITHDRAWN = "(OLD.status = 'withdrawn') IS DISTINCT FROM (NEW.status = 'withdrawn')"
JUDGMENTS_STAY = """
CREATE OR REPLACE FUNCTION annotation_keep_judgment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF current_setting('qreels.deletes_collection', true) = 'yes' THEN
            RETURN OLD;
        END IF;
        RAISE EXCEPTION 'judgment % can''t be deleted: judgments are append-only', OLD.id
              USING ERRCODE = '23001';
    END IF;
    IF (OLD.pair_id, OLD.annotator_id, OLD.grade, OLD.round, OLD.key, OLD.guideline, OLD.given_at)
       IS DISTINCT FROM (NEW.pair_id, NEW.annotator_id, NEW.grade, NEW.round, NEW.key, NEW.guideline, NEW.given_at)
       OR (NEW.counted AND NOT OLD.counted) THEN
        RAISE EXCEPTION 'judgment % can''t be changed, only taken back: judgments are append-only', OLD.id
              USING ERRCODE = '23001';
    END IF;
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER annotation_judgment_append_only
    BEFORE UPDATE OR DELETE ON annotation_judgment
    FOR EACH ROW EXECUTE FUNCTION annotation_keep_judgment();
"""
JUDGMENTS_MAY_GO = """
DROP TRIGGER annotation_judgment_append_only ON annotation_judgment;
DROP FUNCTION annotation_keep_judgment();
"""
# A row that is written at every judgment finds room for its next version in its own page.
ROOM = "ALTER TABLE annotation_workclock SET (fillfactor = 50)"


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("foundation", "0002_changes_are_kept"), ("annotation", "0001_initial")]

    operations = [
        migrations.RunSQL(ROOM, migrations.RunSQL.noop),
        migrations.RunSQL(JUDGMENTS_STAY, JUDGMENTS_MAY_GO),
        watch("annotation_review", place=OF_BATCH),
        watch("annotation_formerreview", place=OF_BATCH),
        watch("annotation_adjudication", place=OF_PAIR, secret=("reason",)),
        watch("annotation_flag", place=OF_PAIR, secret=("note", "answer"), quiet=("read_at",), operations=("update",)),
        watch(
            "annotation_question", place=OF_PAIR, secret=("text", "answer"), quiet=("read_at",), operations=("update",)
        ),
        watch("annotation_notice", secret=("text",)),
        watch("annotation_guideline"),
        watch("annotation_invitation", secret=("digest", "label")),
        watch("annotation_exam"),
        watch("annotation_opening", quiet=JOB),
        watch("annotation_study", quiet=JOB),
        watch("annotation_statuschange", place=OF_MEMBER.format("member_id"), secret=("reason",)),
        watch("annotation_alertdismissal", place=OF_MEMBER.format("member_id"), secret=("told", "note")),
        watch("annotation_timecorrection", place=OF_MEMBER.format("annotator_id"), secret=("seconds", "reason")),
        watch("annotation_ratechange", place=OF_MEMBER.format("member_id"), secret=("before", "after")),
        watch(
            "annotation_assignment",
            place="SELECT collection_id FROM queries_query WHERE id = ($1->>'query_id')::bigint",
        ),
        watch("annotation_workeditem"),
        watch("annotation_examitem", place=OF_EXAM, operations=("update",)),
        watch("annotation_spanruling", place=OF_PAIR),
        watch("annotation_guidelinedraft", secret=("source",), quiet=("edited_at",)),
        watch_columns("annotation_batch", ("priority", "postponed_at")),
        watch_columns("annotation_pair", ("status", "grade"), place=OF_BATCH, only_when=WITHDRAWN),
    ]
