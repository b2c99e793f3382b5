from django.db import migrations

# The history of a judgment is kept: it is given, may be taken back, and is given again as another row. So the
# database itself refuses what no service does.
FORWARD = """
CREATE FUNCTION annotation_keep_judgment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'judgment % can''t be deleted: judgments are append-only', OLD.id USING ERRCODE = '23001';
    END IF;
    IF (OLD.pair_id, OLD.annotator_id, OLD.grade, OLD.round, OLD.key, OLD.guideline, OLD.given_at)
       IS DISTINCT FROM (NEW.pair_id, NEW.annotator_id, NEW.grade, NEW.round, NEW.key, NEW.guideline, NEW.given_at)
       OR (NEW.counted AND NOT OLD.counted) THEN
        RAISE EXCEPTION 'judgment % can''t be changed, only taken back: judgments are append-only', OLD.id
              USING ERRCODE = '23001';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER annotation_judgment_append_only
    BEFORE UPDATE OR DELETE ON annotation_judgment
    FOR EACH ROW EXECUTE FUNCTION annotation_keep_judgment();
"""
BACKWARD = """
DROP TRIGGER annotation_judgment_append_only ON annotation_judgment;
DROP FUNCTION annotation_keep_judgment();
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0006_time_corrections")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
