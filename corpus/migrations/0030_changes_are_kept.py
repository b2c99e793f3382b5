from django.db import migrations

from corpus.audit.triggers import JOB, unwatch, watch

# The trail is written by these alone, and what is written stays (corpus/audit).
FUNCTIONS = """
CREATE OR REPLACE FUNCTION corpus_audit_told(told jsonb, secret text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_object_agg(key, CASE WHEN key = ANY(secret) THEN '"(not kept)"'::jsonb ELSE value END)
      FROM jsonb_each(told)
$$;

CREATE OR REPLACE FUNCTION corpus_audit_keep(
    op text, of_table text, number bigint, whole jsonb, was jsonb, is_now jsonb, place text, secret text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    who jsonb := COALESCE(NULLIF(current_setting('qreels.who', true), '')::jsonb, '{}'::jsonb);
    found bigint;
BEGIN
    EXECUTE place INTO found USING whole;
    INSERT INTO corpus_auditentry
        (account, token, via, asked, address, request, collection, "table", operation, row, rows, before, after)
    VALUES ((who->>'account')::bigint, (who->>'token')::bigint, COALESCE(who->>'via', ''),
            COALESCE(who->>'asked', ''), COALESCE(who->>'address', ''), COALESCE(who->>'request', ''),
            found, of_table, lower(op), CASE WHEN number = 1 THEN (whole->>'id')::bigint END, number,
            CASE WHEN number = 1 THEN corpus_audit_told(was, secret) END,
            CASE WHEN number = 1 THEN corpus_audit_told(is_now, secret) END);
END $$;

CREATE OR REPLACE FUNCTION corpus_audit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE  -- no column of a watched table begins with its_
    its_place text := TG_ARGV[0];
    its_secret text[] := TG_ARGV[1]::text[];
    its_quiet text[] := TG_ARGV[2]::text[];
    its_shown int := TG_ARGV[3]::int;
    its_number bigint;
    its_told int;
    its_one record;
BEGIN
    IF TG_OP = 'DELETE' THEN
        SELECT count(*) INTO its_number FROM old_rows;
        its_told := CASE WHEN its_number > its_shown THEN 1 ELSE its_shown END;
        its_number := CASE WHEN its_number > its_shown THEN its_number ELSE 1 END;
        FOR its_one IN SELECT to_jsonb(o) AS whole FROM old_rows o LIMIT its_told LOOP
            PERFORM corpus_audit_keep(TG_OP, TG_TABLE_NAME, its_number,
                                      its_one.whole, its_one.whole, NULL, its_place, its_secret);
        END LOOP;
    ELSIF TG_OP = 'INSERT' THEN
        SELECT count(*) INTO its_number FROM new_rows;
        its_told := CASE WHEN its_number > its_shown THEN 1 ELSE its_shown END;
        its_number := CASE WHEN its_number > its_shown THEN its_number ELSE 1 END;
        FOR its_one IN SELECT to_jsonb(n) AS whole FROM new_rows n LIMIT its_told LOOP
            PERFORM corpus_audit_keep(TG_OP, TG_TABLE_NAME, its_number,
                                      its_one.whole, NULL, its_one.whole, its_place, its_secret);
        END LOOP;
    ELSE
        SELECT count(*) INTO its_number FROM new_rows;
        IF its_number > its_shown THEN
            FOR its_one IN SELECT to_jsonb(n) AS whole FROM new_rows n LIMIT 1 LOOP
                PERFORM corpus_audit_keep(TG_OP, TG_TABLE_NAME, its_number,
                                          its_one.whole, NULL, NULL, its_place, its_secret);
            END LOOP;
        ELSE
            FOR its_one IN
                SELECT to_jsonb(n) AS whole, changed.was, changed.is_now
                  FROM new_rows n JOIN old_rows o ON o.id = n.id
                 CROSS JOIN LATERAL (
                    SELECT jsonb_object_agg(key, to_jsonb(o)->key) AS was, jsonb_object_agg(key, value) AS is_now
                      FROM jsonb_each(to_jsonb(n))
                     WHERE key <> ALL(its_quiet) AND value IS DISTINCT FROM to_jsonb(o)->key) AS changed
                 WHERE changed.is_now IS NOT NULL
            LOOP
                PERFORM corpus_audit_keep(TG_OP, TG_TABLE_NAME, 1,
                                          its_one.whole, its_one.was, its_one.is_now, its_place, its_secret);
            END LOOP;
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION corpus_audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('qreels.forgets', true) = 'yes' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the trail of changes is append-only' USING ERRCODE = '23001';
END $$;
CREATE OR REPLACE TRIGGER corpus_audit_append_only BEFORE UPDATE OR DELETE ON corpus_auditentry
    FOR EACH ROW EXECUTE FUNCTION corpus_audit_stays();
"""
NO_FUNCTIONS = """
DROP TRIGGER IF EXISTS corpus_audit_append_only ON corpus_auditentry;
DROP FUNCTION IF EXISTS corpus_audit_stays();
DROP FUNCTION IF EXISTS corpus_audit();
DROP FUNCTION IF EXISTS corpus_audit_keep(text, text, bigint, jsonb, jsonb, jsonb, text, text[]);
DROP FUNCTION IF EXISTS corpus_audit_told(jsonb, text[]);
"""

# What erasing a person, or parting them from a place, takes away may not stay here: names, and who has which place.
PERSON = ("username", "first_name", "last_name", "email", "password")
OWN_PLACE = ("account_id", "guideline_confirmed", "repeat_waits")
TABLES = {
    "corpus_account": watch("corpus_account", place="SELECT NULL::bigint", secret=PERSON, quiet=("last_login",)),
    "corpus_apitoken": watch("corpus_apitoken", secret=("digest", "name"), quiet=("last_used",)),
    "corpus_collection": watch("corpus_collection", place="SELECT ($1->>'id')::bigint"),
    "corpus_membership": watch(
        "corpus_membership", secret=("account_id", "pay_per_hour"), quiet=OWN_PLACE, operations=("update", "delete")
    ),
    "corpus_import": watch("corpus_import", quiet=JOB),
    "corpus_videoimport": watch("corpus_videoimport", quiet=JOB),
    "corpus_clipcutting": watch("corpus_clipcutting", quiet=(*JOB, "after")),
    "corpus_collectiondeletion": watch(
        "corpus_collectiondeletion", place="SELECT ($1->>'number')::bigint", secret=("files",), quiet=JOB
    ),
}


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [("corpus", "0029_audit_entries")]

    operations = [
        migrations.RunSQL(FUNCTIONS, NO_FUNCTIONS),
        *(migrations.RunSQL(make, unwatch(table)) for table, make in TABLES.items()),
    ]
