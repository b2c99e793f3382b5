"""Password links, second factors and linked logins come into the trail; nobody empties it by TRUNCATE."""

from django.db import migrations

from corpus.audit.triggers import unwatch, watch

# Of single columns of tables that judging writes all the time: called for a row, where one of them has changed.
ONE_ROW = """
CREATE OR REPLACE FUNCTION corpus_audit_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    its_columns text[] := TG_ARGV[1]::text[];
    its_was jsonb;
    its_now jsonb;
BEGIN
    SELECT jsonb_object_agg(key, to_jsonb(OLD)->key), jsonb_object_agg(key, value) INTO its_was, its_now
      FROM jsonb_each(to_jsonb(NEW))
     WHERE key = ANY(its_columns) AND value IS DISTINCT FROM to_jsonb(OLD)->key;
    IF its_now IS NOT NULL THEN
        PERFORM corpus_audit_keep(TG_OP, TG_TABLE_NAME, 1, to_jsonb(NEW), its_was, its_now, TG_ARGV[0], '{}');
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION corpus_audit_stays_whole() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('qreels.forgets', true) = 'yes' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the trail of changes is append-only' USING ERRCODE = '23001';
END $$;
CREATE OR REPLACE TRIGGER corpus_audit_never_emptied BEFORE TRUNCATE ON corpus_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION corpus_audit_stays_whole();
"""
NOT_ONE_ROW = """
DROP TRIGGER IF EXISTS corpus_audit_never_emptied ON corpus_auditentry;
DROP FUNCTION IF EXISTS corpus_audit_stays_whole();
DROP FUNCTION IF EXISTS corpus_audit_row();
"""
NOWHERE = "SELECT NULL::bigint"
TABLES = {
    "corpus_onetimelink": watch(
        "corpus_onetimelink", place=NOWHERE, secret=("digest",), operations=("insert", "delete")
    ),
    "mfa_authenticator": watch("mfa_authenticator", place=NOWHERE, secret=("data",), operations=("insert", "delete")),
    "socialaccount_socialaccount": watch(
        "socialaccount_socialaccount", place=NOWHERE, secret=("uid", "extra_data"), operations=("insert", "delete")
    ),
}


class Migration(migrations.Migration):
    atomic = False  # each statement is whole by itself, and safe to repeat

    dependencies = [
        ("corpus", "0034_indexes_that_doubled_others"),
        ("mfa", "0003_authenticator_type_uniq"),
        ("socialaccount", "0006_alter_socialaccount_extra_data"),
    ]

    operations = [
        migrations.RunSQL(ONE_ROW, NOT_ONE_ROW),
        *(migrations.RunSQL(make, unwatch(table)) for table, make in TABLES.items()),
    ]
