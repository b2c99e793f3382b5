"""Checks of a release, and judgments imported from elsewhere, that a lead asks for in the browser."""

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_noop

from foundation.models import ByMember, Collection, PlainJob


class ReleaseCheck(PlainJob, ByMember):
    """A job that checks a release from its files alone, and its result."""

    TASK = "datasets.tasks.check_release"
    KIND, TITLE, COLLECTION = "release-check", gettext_noop("Check of a release"), "release__collection"

    release = models.ForeignKey("datasets.Release", models.CASCADE, related_name="checks")
    problems = models.JSONField(default=list, help_text="What `check_release` found, in words.")
    claims = models.JSONField(default=list, db_default=[], help_text="What it found of each claim, as `Claim.as_data`.")

    def __str__(self) -> str:
        return self.release.name

    def get_absolute_url(self) -> str:
        return reverse("release", args=[self.release.collection.name, self.release_id])


class JudgmentImport(PlainJob, ByMember):
    """An import of judgments and its outcome. A file that a lead uploaded lies in the storage; a command's doesn't."""

    TASK = "datasets.tasks.import_judgments"
    KIND, TITLE = "judgment-import", gettext_noop("Import of judgments")
    PAGE, PAGE_OF_ITS_OWN = "judgment-import", True
    UNIT = gettext_noop("rows read")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="judgment_imports")
    file_name = models.CharField(max_length=200, help_text="As the lead's machine calls it.")
    stored_file = models.CharField(
        max_length=300, blank=True, help_text="Its name in the storage; empty: a command read it."
    )
    size = models.BigIntegerField(help_text="Bytes.")
    format = models.CharField(max_length=20, blank=True, help_text="Empty: detected from the content.")
    split = models.CharField(max_length=4, help_text="Of queries that the collection lacks.")
    ratings = models.CharField(max_length=3, help_text="Which of Label Studio's ratings stand for the grades 0-4.")
    grade_table = models.JSONField(
        null=True, blank=True, help_text="What the file's grades are on the collection's scale; empty: they are its."
    )
    repeated_ids = models.CharField(
        max_length=12,
        default="refuse",
        db_default="refuse",
        help_text="The policy for an id that stands more than once at a pair.",
    )
    pairs_file = models.CharField(
        max_length=300, blank=True, db_default="", help_text="The files of pairs, packed: their name in the storage."
    )
    counts = models.JSONField(default=dict, help_text="The JudgmentReport's figures.")
    problems = models.JSONField(default=list, help_text="The first of them: line, entry, field, found, expected.")
    problem_count = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return self.file_name
