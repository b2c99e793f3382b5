"""Releases: named and immutable."""

from django.contrib.postgres.fields import ArrayField
from django.core.validators import RegexValidator
from django.db import models

from foundation.models import Collection

DRAFT_PREFIX = "draft-"
"""Reserved prefix of names derived from the content."""


class Release(models.Model):
    """A collection's state as published. Its files lie in one archive in the storage; neither row nor archive changes.

    `manifest` is that of the archive as JSON, for reading; the bytes that count are in the archive.
    """

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="releases")
    name = models.CharField(
        max_length=60,
        validators=[
            RegexValidator(
                r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z",
                "letters, digits, dots, hyphens and underscores, beginning with a letter or digit",
            )
        ],
    )
    created_at = models.DateTimeField()
    formats = ArrayField(models.CharField(max_length=30))
    content_hash = models.CharField(
        max_length=64, help_text="SHA-256 of the manifest without name and time: equal states have equal ones."
    )
    manifest = models.JSONField()
    manifest_sha256 = models.CharField(max_length=64)
    archive = models.CharField(max_length=300, help_text="The archive's name in the storage.")
    archive_sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="one_release_a_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def files(self) -> dict[str, str]:
        """The release's files, the manifest among them: path inside the release -> SHA-256."""
        listed = {path: facts["sha256"] for path, facts in self.manifest["files"].items()}
        return listed | {"manifest.json": self.manifest_sha256}

    @property
    def training_depths(self) -> list[int]:
        """Moments per query of each training file."""
        depths: list[int] = self.manifest["training_depths"]
        return depths

    @property
    def size_in_rows(self) -> int:
        """How many graded pairs and training queries it has, by which a page computes at once or has a worker do it."""
        counts = self.manifest["counts"]
        return int(counts["val"]["pairs"] + counts["test"]["pairs"] + counts["training"]["queries"])
