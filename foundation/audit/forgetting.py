"""Delete old entries of the trail, which the database allows only here."""

from django.db import connection, transaction
from django.db.models import QuerySet

from foundation.models import AuditEntry


@transaction.atomic
def forget_entries(entries: QuerySet[AuditEntry]) -> int:
    """Delete entries, in a transaction that says so. Returns how many."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL qreels.forgets = 'yes'")
        gone = AuditEntry.objects.filter(pk__in=entries.values("pk")).delete()[0]
        cursor.execute("SET LOCAL qreels.forgets = 'no'")
    return gone
