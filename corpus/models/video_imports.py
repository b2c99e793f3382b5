"""Video files on their way into the installation, and the jobs that import them and cut clips."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from corpus.models.clips import new_public_name
from corpus.models.collections import Collection, Membership
from corpus.models.material import Import


class VideoUpload(models.Model):
    """A file that arrives in pieces, or has arrived, in the installation's folder of videos.

    Until it is whole it lies as a part under its public name; then below its collection's folder under `name`.
    """

    class State(models.TextChoices):
        ARRIVING = "arriving", "arriving"
        ARRIVED = "arrived", "here, not looked at yet"
        TAKEN = "taken", "here"
        REFUSED = "refused", "refused"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="video_uploads")
    member = models.ForeignKey(Membership, models.SET_NULL, null=True, related_name="+")
    public_name = models.CharField(max_length=32, unique=True, default=new_public_name)
    name = models.CharField(max_length=700, help_text="Its path among the files that were chosen.")
    size = models.BigIntegerField(help_text="Bytes.")
    mark = models.CharField(max_length=80, help_text="Of its content: tells whether another file is the same.")
    received = models.BigIntegerField(default=0, help_text="Bytes that are safe on the disk.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.ARRIVING)
    problem = models.TextField(blank=True, help_text="Why it was refused.")
    descriptions = models.ForeignKey(
        Import, models.SET_NULL, null=True, related_name="+", help_text="What became of a file of descriptions."
    )
    begun_at = models.DateTimeField(auto_now_add=True)
    touched_at = models.DateTimeField(default=Now(), help_text="When a piece last came, or its state changed.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "name"], condition=Q(state="arriving"), name="one_arriving_file_a_name"
            ),
            models.UniqueConstraint(
                fields=["collection", "name"], condition=~Q(state="arriving"), name="one_arrived_file_a_name"
            ),
            models.CheckConstraint(
                condition=Q(received__gte=0) & Q(received__lte=F("size")), name="video_upload_received"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["arriving", "arrived", "taken", "refused"]), name="video_upload_state"
            ),
        ]
        indexes = [models.Index(fields=["collection", "size", "mark"], name="video_upload_content")]

    def __str__(self) -> str:
        return self.name

    @property
    def part(self) -> Path:
        """Where it lies until it is whole."""
        return settings.VIDEO_FOLDER / ".parts" / self.public_name

    @property
    def path(self) -> Path:
        """Where it lies once it is."""
        return folder_of_uploads(self.collection) / self.name


def folder_of_uploads(collection: Collection) -> Path:
    """Where the videos of a collection lie that were brought by the browser or from S3."""
    return Path(settings.VIDEO_FOLDER) / collection.name
