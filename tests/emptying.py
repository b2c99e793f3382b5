"""The database emptied after a test that commits: by DELETE, which takes a tenth of Django's TRUNCATE of 68 tables."""

from django.db import connection
from django.test import TransactionTestCase

KEPT = frozenset({"django_content_type", "auth_permission"})
"""Written by `migrate`; Django's flush empties them and writes them anew after each test."""


def empty_by_delete() -> None:
    """Have Django's tests that commit leave their database so. Needs a superuser, as the embedded server's is."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT usesuper FROM pg_user WHERE usename = current_user")
        if not cursor.fetchone()[0]:
            return
    tables = [name for name in connection.introspection.django_table_names(only_existing=True) if name not in KEPT]
    deletes = "; ".join(f"DELETE FROM {connection.ops.quote_name(name)}" for name in tables)
    # As a replica: no foreign key asks after each row, and no trigger keeps judgments from being deleted.
    statement = f"BEGIN; SET LOCAL session_replication_role = replica; {deletes}; COMMIT"

    def empty(case: TransactionTestCase) -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement)

    TransactionTestCase._fixture_teardown = empty  # type: ignore[method-assign]
