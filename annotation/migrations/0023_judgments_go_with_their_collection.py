from django.db import migrations

# Judgments stay append-only. They go only with their whole collection, in a transaction that says so
# (corpus/deletion/rows.py).
FUNCTION = """
CREATE OR REPLACE FUNCTION annotation_keep_judgment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        {exception}RAISE EXCEPTION 'judgment % can''t be deleted: judgments are append-only', OLD.id
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
"""
WITH_ITS_COLLECTION = """IF current_setting('qreels.deletes_collection', true) = 'yes' THEN
            RETURN OLD;
        END IF;
        """
FORWARD = FUNCTION.replace("{exception}", WITH_ITS_COLLECTION)
BACKWARD = FUNCTION.replace("{exception}", "")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0022_training_time")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
