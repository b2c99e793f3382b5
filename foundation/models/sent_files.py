"""Files that programs send ahead of what uses them."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from foundation.models.collections import Collection, Membership
from foundation.models.public_names import new_public_name


class SentFile(models.Model):
    """A file that a member sends in pieces, to name it in one request that uses it; then it is gone.

    It lies as a part beside those of videos, under its public name.
    """

    LOCK = "foundation.sent_file"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="sent_files")
    member = models.ForeignKey(Membership, models.CASCADE, related_name="+")
    public_name = models.CharField(max_length=32, unique=True, default=new_public_name)
    name = models.CharField(max_length=200, help_text="As the sender's machine calls it.")
    size = models.BigIntegerField(help_text="Bytes.")
    mark = models.CharField(max_length=80, help_text="Of its content: tells whether another file is the same.")
    received = models.BigIntegerField(default=0, help_text="Bytes that are safe on the disk.")
    whole = models.BooleanField(default=False, help_text="All of it is here, and it is what was announced.")
    begun_at = models.DateTimeField(auto_now_add=True)
    touched_at = models.DateTimeField(default=Now(), help_text="When a piece last came.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["member", "name", "size", "mark"], name="one_sent_file_a_content"),
            models.CheckConstraint(
                condition=Q(received__gte=0) & Q(received__lte=F("size")), name="sent_file_received"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def part(self) -> Path:
        """Where it lies."""
        return Path(settings.VIDEO_FOLDER) / ".parts" / self.public_name

    @property
    def arriving(self) -> bool:
        """Whether it isn't whole."""
        return not self.whole
