"""Video files on their way into the installation, and the jobs that import them and cut clips."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy, gettext_noop

from corpus.models.material import Import, ImportPreview
from foundation.models.collections import Collection, Membership
from foundation.models.jobs import ByMember, Job, job_states, plain_states
from foundation.models.public_names import new_public_name


class VideoUpload(models.Model):
    """A file that arrives in pieces, or has arrived, in the installation's folder of videos.

    Until a worker has looked into it, it lies as a part under its public name; then in its collection's folder as
    `stored_as`. Its own name is data: one may be a folder of another.
    """

    class State(models.TextChoices):
        ARRIVING = "arriving", gettext_lazy("arriving")
        ARRIVED = "arrived", gettext_lazy("here, not looked into yet")
        TAKEN = "taken", gettext_lazy("here")
        REFUSED = "refused", gettext_lazy("refused")

    LOCK = "corpus.video_upload"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="video_uploads")
    member = models.ForeignKey(Membership, models.SET_NULL, null=True, related_name="+")
    public_name = models.CharField(max_length=32, unique=True, default=new_public_name)
    name = models.CharField(max_length=700, help_text="Its path among the files that were chosen.")
    stored_as = models.CharField(
        max_length=700,
        blank=True,
        db_default="",
        help_text="In its collection's folder; empty: as its public name.",
    )
    size = models.BigIntegerField(help_text="Bytes.")
    mark = models.CharField(max_length=80, help_text="Of its content: tells whether another file is the same.")
    received = models.BigIntegerField(default=0, help_text="Bytes that are safe on the disk.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.ARRIVING)
    problem = models.TextField(blank=True, help_text="Why it was refused.")
    descriptions = models.ForeignKey(
        Import, models.SET_NULL, null=True, related_name="+", help_text="What became of a file of descriptions."
    )
    preview = models.ForeignKey(
        ImportPreview, models.SET_NULL, null=True, related_name="+", help_text="Where a file of descriptions waits."
    )
    begun_at = models.DateTimeField(auto_now_add=True)
    touched_at = models.DateTimeField(default=Now(), help_text="When a piece last came, or its state changed.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "name"],
                condition=Q(state__in=["arriving", "arrived"]),
                name="one_file_under_way_a_name",
            ),
            models.UniqueConstraint(
                fields=["collection", "name"], condition=Q(state="taken"), name="one_taken_file_a_name"
            ),
            models.CheckConstraint(
                condition=Q(received__gte=0) & Q(received__lte=F("size")), name="video_upload_received"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["arriving", "arrived", "taken", "refused"]), name="video_upload_state"
            ),
        ]
        indexes = [
            models.Index(fields=["collection", "size", "mark"], name="video_upload_content"),
            models.Index(
                fields=["touched_at"],
                include=["collection", "size", "received"],
                condition=Q(state="arriving"),
                name="video_upload_arriving",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def part(self) -> Path:
        """Where it lies until a worker has looked into it."""
        return settings.VIDEO_FOLDER / ".parts" / self.public_name

    @property
    def arriving(self) -> bool:
        """Whether it isn't whole."""
        return self.state == self.State.ARRIVING

    @property
    def path(self) -> Path:
        """Where it lies afterwards."""
        return folder_of_uploads(self.collection) / (self.stored_as or self.public_name)


def folder_of_uploads(collection: Collection) -> Path:
    """Where the videos of a collection lie that were brought by the browser or from S3."""
    return Path(settings.VIDEO_FOLDER) / collection.name


class VideoImport(Job, ByMember):
    """A job that gives a collection's videos their files, and its report: what `VideoReport` says, by name."""

    State = job_states(
        gettext_lazy("is being imported"), gettext_lazy("imported"), gettext_lazy("could not be imported")
    )

    TASK = "corpus.tasks.import_video_files"
    KIND, TITLE = "video-import", gettext_noop("Video import")
    PAGE, PAGE_OF_ITS_OWN = "video-import", True
    UNIT = gettext_noop("files")
    KEPT = gettext_noop("Imported files stay; resuming continues with the others.")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="video_imports")
    source = models.CharField(
        max_length=1000, blank=True, help_text="A folder or s3://BUCKET/PREFIX; empty: what was uploaded."
    )
    frame_rate = models.FloatField(null=True, blank=True, help_text="Pictures a second, for folders of pictures.")
    chosen = models.JSONField(default=dict, help_text="Video name -> file, where a lead has settled it.")
    folder = models.CharField(max_length=1000, blank=True, help_text="The folder that was read.")
    report = models.JSONField(default=dict, help_text="The VideoReport's fields, and `refused`: (file, reason).")

    class Meta:
        constraints = [plain_states("video_import_state")]

    def __str__(self) -> str:
        return self.source or "uploaded videos"


class ProbedFile(models.Model):
    """What a running import of videos has read of a file: if interrupted, it continues from there."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="probed_files")
    key = models.CharField(max_length=64, help_text="SHA-256 of its path, size, time and the rate that was asked for.")
    duration = models.FloatField(null=True, help_text="Seconds; empty if the file doesn't state it.")
    fingerprint = models.CharField(max_length=64, blank=True)
    problem = models.TextField(blank=True, help_text="Why it can't be read; empty if it can.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "key"], name="one_probed_file_a_key")]

    def __str__(self) -> str:
        return self.key


class ClipCutting(Job, ByMember):
    """A job that cuts what moments lack of a plan: the fields of `corpus.clips.cut_clips.CuttingPlan`."""

    State = job_states(gettext_lazy("is cutting"), gettext_lazy("done"), gettext_lazy("could not be done"))

    TASK = "corpus.tasks.cut_collection"
    KIND, TITLE = "clip-cutting", gettext_noop("Cutting of clips")
    PAGE = "clips"
    UNIT = gettext_noop("moments")
    KEPT = gettext_noop("Finished clips stay; resuming continues with the others.")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="clip_cuttings")
    plan = models.JSONField(default=dict)
    after = models.BigIntegerField(default=0, help_text="The video (id) up to which all are done, in their order.")

    class Meta:
        constraints = [
            plain_states("clip_cutting_state"),
            models.UniqueConstraint(
                fields=["collection"], condition=Q(state__in=["queued", "running"]), name="one_cutting_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return "clips"

    def begin(self) -> None:
        # It works in slices: its pace is that since the first.
        first = self.started_at
        super().begin()
        if first is not None:
            self.started_at = first
            type(self).objects.filter(pk=self.pk).update(started_at=first)
