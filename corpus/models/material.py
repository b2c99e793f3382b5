"""Videos, moments, descriptions and imports."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy, gettext_noop

from foundation.models.collection_settings import Kind
from foundation.models.collections import Collection
from foundation.models.jobs import ByMember, Job, job_states, plain_states


class Video(models.Model):
    """A video by its name; its file and its duration where they are known."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="videos")
    name = models.CharField(max_length=200)
    duration = models.FloatField(null=True, blank=True, help_text="Seconds, as stated by the source.")
    file_duration = models.FloatField(null=True, blank=True, help_text="Seconds, as its file says.")
    path = models.CharField(max_length=1000, blank=True, help_text="The file or folder that clips are cut from.")
    frame_rate = models.FloatField(
        null=True, blank=True, help_text="Pictures a second of a folder of pictures; empty for a file, which knows."
    )
    fingerprint = models.CharField(
        max_length=64, blank=True, help_text="Tells whether the file is still the one that clips were cut from."
    )
    content = ArrayField(
        models.CharField(max_length=40),
        default=list,
        blank=True,
        db_default=[],
        help_text="What somebody may not want to see: violence, say.",
    )
    minimum_age = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Years of age from which on people are given it; 0: whatever they are."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="one_video_a_name"),
            models.CheckConstraint(condition=Q(duration__isnull=True) | Q(duration__gt=0), name="video_duration"),
        ]

    def __str__(self) -> str:
        return self.name


class HiddenRegion(models.Model):
    """What no clip of a video shows: a rectangle, in shares of the picture's sides, or what a mask covers."""

    video = models.ForeignKey(Video, models.CASCADE, related_name="hidden_regions")
    start = models.FloatField(null=True, blank=True, help_text="Seconds in the video; empty: from its beginning.")
    end = models.FloatField(null=True, blank=True, help_text="Seconds in the video; empty: to its end.")
    x = models.FloatField(default=0.0)
    y = models.FloatField(default=0.0)
    width = models.FloatField(default=1.0)
    height = models.FloatField(default=1.0)
    mask_file = models.CharField(max_length=300, blank=True, help_text="A picture, by its name in the storage.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(x__gte=0, y__gte=0, width__gt=0, height__gt=0)
                & Q(width__lte=1.000001 - F("x"), height__lte=1.000001 - F("y")),
                name="hidden_region_in_picture",
            ),
        ]


class Moment(models.Model):
    """A stretch of a video, in seconds: start < end, and end within the video's duration (a slack apart)."""

    video = models.ForeignKey(Video, models.CASCADE, related_name="moments", db_index=False)
    start = models.FloatField()
    end = models.FloatField()
    external_id = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Its id elsewhere, such as a shot's, one a moment of a collection; empty: none.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["video", "start", "end"], name="one_moment_a_stretch"),
            models.CheckConstraint(condition=Q(start__gte=0) & Q(end__gt=F("start")), name="moment_start_end"),
        ]

    def __str__(self) -> str:
        return f"{self.video_id} {self.start:g}-{self.end:g}"

    @property
    def clip_name(self) -> str | None:
        """The public name of its clip, None if it has none. No SQL if `clip` was selected with it."""
        clip = getattr(self, "clip", None)
        return clip.public_name if clip is not None and clip.ready else None


class Subtitles(models.Model):
    """What is said in a video, in one language: a file's cues, or those of a track in the video's own file."""

    video = models.ForeignKey(Video, models.CASCADE, related_name="subtitles", db_index=False)
    language = models.CharField(max_length=35, blank=True, help_text="BCP 47, e.g. en; empty: not stated.")
    source = models.CharField(max_length=700, help_text="The file that they came from.")
    track_of = models.CharField(
        max_length=64,
        blank=True,
        help_text="The fingerprint of the video's file whose track they are; empty: a file's.",
    )
    cues = models.JSONField(help_text="[start, end, text], in seconds of the video, by start.")
    imported_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["video", "language"], name="one_subtitles_a_language")]

    def __str__(self) -> str:
        return f"{self.video_id} {self.language}"


DESCRIPTION_VECTOR = SearchVector("text", config="english")
"""The expression that the search's index covers; a query must use it exactly."""


class Description(models.Model):
    """A precise sentence about a moment, as imported; `source_id` is its id in the source."""

    moment = models.ForeignKey(Moment, models.CASCADE, related_name="descriptions")
    collection = models.ForeignKey(Collection, models.CASCADE, related_name="descriptions", db_index=False)
    source_id = models.CharField(max_length=64)
    text = models.TextField()
    normalised = models.TextField(help_text="The text after rule 3, for comparison.")
    kind = models.CharField(max_length=2, choices=Kind.choices, default=Kind.VIDEO)
    language = models.CharField(max_length=35, blank=True, help_text="BCP 47, e.g. en; empty: not stated.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "source_id"], name="one_description_a_source_id"),
            models.CheckConstraint(condition=Q(kind__in=["v", "t", "vt"]), name="description_kind"),
        ]
        indexes = [
            models.Index(fields=["collection", "kind"]),
            GinIndex(DESCRIPTION_VECTOR, name="description_full_text"),
        ]

    def __str__(self) -> str:
        return self.text


class DescriptionUpload(ByMember):
    """A file of descriptions that a lead uploaded, and how it is to be read. The file lies in the storage."""

    file_name = models.CharField(max_length=200, help_text="As the lead's machine calls it.")
    stored_file = models.CharField(max_length=300, help_text="Its name in the storage.")
    size = models.BigIntegerField(help_text="Bytes.")
    format = models.CharField(max_length=20, blank=True, help_text="Empty: to be guessed.")
    charset = models.CharField(max_length=20, blank=True, db_default="", help_text="Empty: to be detected.")
    separator = models.CharField(max_length=10, blank=True, db_default="", help_text="Of CSV; empty: to be detected.")
    columns = models.JSONField(default=dict, db_default={}, help_text="Of CSV: field to header, where it was chosen.")
    skip_bad = models.BooleanField(default=False)
    bytes_done = models.BigIntegerField(default=0)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.file_name


class Import(DescriptionUpload, Job):
    """An import of an uploaded file, and its outcome."""

    State = job_states(
        gettext_lazy("is being imported"), gettext_lazy("imported"), gettext_lazy("nothing was imported")
    )

    TASK = "corpus.tasks.import_file"
    KIND, TITLE = "import", gettext_noop("Import of descriptions")
    PAGE, PAGE_OF_ITS_OWN = "import-report", True
    UNIT = gettext_noop("rows read")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="imports")
    guessed = models.BooleanField(default=False)
    counts = models.JSONField(default=dict, help_text="The ImportReport's figures.")
    remarks = models.JSONField(default=list, db_default=[], help_text="How it was read: the choice, a sentence.")
    problems = models.JSONField(default=list, help_text="The first of them: line, entry, field, found, expected.")
    problem_count = models.PositiveIntegerField(default=0)
    rejected_file = models.CharField(max_length=300, blank=True, help_text="Its name in the storage.")
    record_file = models.CharField(
        max_length=300, blank=True, db_default="", help_text="What it added and changed: its name in the storage."
    )
    taking_back = models.BooleanField(default=False, db_default=False, help_text="Whether a worker is to take it back.")
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [plain_states("import_state")]

    @property
    def can_be_taken_back(self) -> bool:
        """Whether it was done, what it changed is known, and it wasn't taken back."""
        return self.finished and bool(self.record_file) and self.taken_back_at is None


class ImportPreview(DescriptionUpload, Job):
    """An uploaded file that is read but not imported: what was understood of it. Once it is imported it is gone."""

    State = job_states(gettext_lazy("is being read"), gettext_lazy("read"), gettext_lazy("could not be read"))

    TASK = "corpus.tasks.preview_import"
    KIND, TITLE = "import-preview", gettext_noop("Preview of an import")
    PAGE, PAGE_OF_ITS_OWN = "import-preview", True
    UNIT = gettext_noop("rows read")
    KEPT = gettext_noop("Nothing is imported by a preview.")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="import_previews")
    found = models.JSONField(default=dict, help_text="What was understood, as the page shows it.")

    class Meta:
        constraints = [plain_states("import_preview_state")]
