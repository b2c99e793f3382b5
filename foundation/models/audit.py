"""The trail of changes: written by triggers of the database alone, and only ever added to."""

from django.db import models
from django.db.models.functions import Now


class AuditEntry(models.Model):
    """A row that was changed, or one statement that changed many: by whom, from where, before and after.

    It points to nothing by a foreign key: an entry stays as it is when what it is about goes.
    """

    at = models.DateTimeField(db_default=Now())
    account = models.BigIntegerField(null=True, help_text="Whose login or token it was; empty: nobody's.")
    token = models.BigIntegerField(null=True, help_text="The token's row, where a program did it.")
    via = models.CharField(max_length=8, blank=True, help_text="page, api, command or task; empty: not known.")
    asked = models.CharField(max_length=100, blank=True, help_text="The address by its name, or the command.")
    address = models.CharField(max_length=64, blank=True, help_text="The network address.")
    request = models.CharField(max_length=64, blank=True, help_text="The request's id, as in the log.")
    collection = models.BigIntegerField(null=True, help_text="Empty: it is of none.")
    table = models.CharField(max_length=63)
    operation = models.CharField(max_length=6, help_text="insert, update or delete.")
    row = models.BigIntegerField(null=True, help_text="Empty: of many rows at once.")
    rows = models.PositiveIntegerField(default=1, db_default=1)
    before = models.JSONField(null=True, help_text="Of a changed row what has changed, of a deleted one all of it.")
    after = models.JSONField(null=True, help_text="Of a changed row what has changed, of a new one all of it.")

    class Meta:
        indexes = [
            models.Index(fields=["collection", "-id"], name="audit_of_collection"),
            models.Index(fields=["at"], name="audit_at"),
        ]

    def __str__(self) -> str:
        return f"{self.operation} {self.table} {self.row or ''}".strip()
