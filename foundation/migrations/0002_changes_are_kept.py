"""What is decided and set is kept in the trail of changes, which its triggers alone write, and where it stays."""

from django.db import migrations

from foundation.audit.triggers import JOB, watch

FUNCTIONS = """
CREATE OR REPLACE FUNCTION foundation_audit_told(told jsonb, secret text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_object_agg(key, CASE WHEN key = ANY(secret) THEN '"(not kept)"'::jsonb ELSE value END)
      FROM jsonb_each(told)
$$;

CREATE OR REPLACE FUNCTION foundation_audit_keep(
    op text, of_table text, number bigint, whole jsonb, was jsonb, is_now jsonb, place text, secret text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    who jsonb := COALESCE(NULLIF(current_setting('qreels.who', true), '')::jsonb, '{}'::jsonb);
    found bigint;
BEGIN
    EXECUTE place INTO found USING whole;
    INSERT INTO foundation_auditentry
        (account, token, via, asked, address, request, collection, "table", operation, row, rows, before, after)
    VALUES ((who->>'account')::bigint, (who->>'token')::bigint, COALESCE(who->>'via', ''),
            COALESCE(who->>'asked', ''), COALESCE(who->>'address', ''), COALESCE(who->>'request', ''),
            found, of_table, lower(op), CASE WHEN number = 1 THEN (whole->>'id')::bigint END, number,
            CASE WHEN number = 1 THEN foundation_audit_told(was, secret) END,
            CASE WHEN number = 1 THEN foundation_audit_told(is_now, secret) END);
END $$;

CREATE OR REPLACE FUNCTION foundation_audit() RETURNS trigger LANGUAGE plpgsql AS $$
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
            PERFORM foundation_audit_keep(TG_OP, TG_TABLE_NAME, its_number,
                                      its_one.whole, its_one.whole, NULL, its_place, its_secret);
        END LOOP;
    ELSIF TG_OP = 'INSERT' THEN
        SELECT count(*) INTO its_number FROM new_rows;
        its_told := CASE WHEN its_number > its_shown THEN 1 ELSE its_shown END;
        its_number := CASE WHEN its_number > its_shown THEN its_number ELSE 1 END;
        FOR its_one IN SELECT to_jsonb(n) AS whole FROM new_rows n LIMIT its_told LOOP
            PERFORM foundation_audit_keep(TG_OP, TG_TABLE_NAME, its_number,
                                      its_one.whole, NULL, its_one.whole, its_place, its_secret);
        END LOOP;
    ELSE
        SELECT count(*) INTO its_number FROM new_rows;
        IF its_number > its_shown THEN
            FOR its_one IN SELECT to_jsonb(n) AS whole FROM new_rows n LIMIT 1 LOOP
                PERFORM foundation_audit_keep(TG_OP, TG_TABLE_NAME, its_number,
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
                PERFORM foundation_audit_keep(TG_OP, TG_TABLE_NAME, 1,
                                          its_one.whole, its_one.was, its_one.is_now, its_place, its_secret);
            END LOOP;
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION foundation_audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('qreels.forgets', true) = 'yes' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the trail of changes is append-only' USING ERRCODE = '23001';
END $$;
CREATE OR REPLACE TRIGGER foundation_audit_append_only BEFORE UPDATE OR DELETE ON foundation_auditentry
    FOR EACH ROW EXECUTE FUNCTION foundation_audit_stays();

-- Of single columns of tables that judging writes all the time: called for a row, where one of them has changed.
CREATE OR REPLACE FUNCTION foundation_audit_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    its_columns text[] := TG_ARGV[1]::text[];
    its_was jsonb;
    its_now jsonb;
BEGIN
    SELECT jsonb_object_agg(key, to_jsonb(OLD)->key), jsonb_object_agg(key, value) INTO its_was, its_now
      FROM jsonb_each(to_jsonb(NEW))
     WHERE key = ANY(its_columns) AND value IS DISTINCT FROM to_jsonb(OLD)->key;
    IF its_now IS NOT NULL THEN
        PERFORM foundation_audit_keep(TG_OP, TG_TABLE_NAME, 1, to_jsonb(NEW), its_was, its_now, TG_ARGV[0], '{}');
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION foundation_audit_stays_whole() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('qreels.forgets', true) = 'yes' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the trail of changes is append-only' USING ERRCODE = '23001';
END $$;
CREATE OR REPLACE TRIGGER foundation_audit_never_emptied BEFORE TRUNCATE ON foundation_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION foundation_audit_stays_whole();
"""
NO_FUNCTIONS = """
DROP TRIGGER IF EXISTS foundation_audit_never_emptied ON foundation_auditentry;
DROP TRIGGER IF EXISTS foundation_audit_append_only ON foundation_auditentry;
DROP FUNCTION IF EXISTS foundation_audit_stays_whole();
DROP FUNCTION IF EXISTS foundation_audit_row();
DROP FUNCTION IF EXISTS foundation_audit_stays();
DROP FUNCTION IF EXISTS foundation_audit();
DROP FUNCTION IF EXISTS foundation_audit_keep(text, text, bigint, jsonb, jsonb, jsonb, text, text[]);
DROP FUNCTION IF EXISTS foundation_audit_told(jsonb, text[]);
"""

# What erasing a person, or parting them from a place, takes away may not stay here: names, and who has which place.
PERSON = ("username", "first_name", "last_name", "email", "password")
OWN_PLACE = ("account_id", "guideline_confirmed", "repeat_waits")
NOWHERE = "SELECT NULL::bigint"


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [
        ("foundation", "0001_initial"),
        ("mfa", "0003_authenticator_type_uniq"),
        ("socialaccount", "0006_alter_socialaccount_extra_data"),
    ]

    operations = [
        migrations.RunSQL(FUNCTIONS, NO_FUNCTIONS),
        watch("foundation_account", place="SELECT NULL::bigint", secret=PERSON, quiet=("last_login",)),
        watch("foundation_apitoken", secret=("digest", "name"), quiet=("last_used",)),
        watch("foundation_collection", place="SELECT ($1->>'id')::bigint"),
        watch(
            "foundation_membership",
            secret=("account_id", "pay_per_hour"),
            quiet=OWN_PLACE,
            operations=("update", "delete"),
        ),
        watch("foundation_collectiondeletion", place="SELECT ($1->>'number')::bigint", secret=("files",), quiet=JOB),
        watch("foundation_onetimelink", place=NOWHERE, secret=("digest",), operations=("insert", "delete")),
        watch("mfa_authenticator", place=NOWHERE, secret=("data",), operations=("insert", "delete")),
        watch(
            "socialaccount_socialaccount", place=NOWHERE, secret=("uid", "extra_data"), operations=("insert", "delete")
        ),
        watch("foundation_webhook", secret=("secret", "made_by_id"), quiet=(*JOB, "alerts_told")),
    ]
