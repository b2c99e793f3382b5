"""What a release's page says besides its files, and who can read it without a login."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from foundation.models import Membership


class ReleasePage(models.Model):
    """A release's citation as the leads complete it, and what its collection's owner makes public. Without a row:
    nothing is public, and the citation is as the release says it."""

    class Pictures(models.TextChoices):
        NONE = "none", gettext_lazy("no pictures")
        POSTERS = "posters", gettext_lazy("a frame of each sample clip")
        CLIPS = "clips", gettext_lazy("a frame of each sample clip, and the clips")

    class Files(models.TextChoices):
        NONE = "none", gettext_lazy("no file")
        WITHOUT_TEST = "without-test", gettext_lazy("the files without ground truth of test")
        ALL = "all", gettext_lazy("all files")

    release = models.OneToOneField("datasets.Release", models.CASCADE, related_name="page")
    title = models.CharField(max_length=300, blank=True, help_text="Empty: the collection's when it was released.")
    authors = models.TextField(blank=True, help_text="Family, Given; Family, Given. Empty: those of the release.")
    year = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1900), MaxValueValidator(2999)],
        help_text="Empty: that of the release.",
    )
    address = models.CharField(max_length=500, blank=True, help_text="A DOI, or an address with http.")
    public_since = models.DateTimeField(null=True, blank=True, help_text="Empty: the page isn't public.")
    pictures = models.CharField(max_length=7, choices=Pictures.choices, default=Pictures.NONE)
    files = models.CharField(max_length=12, choices=Files.choices, default=Files.NONE)
    indexed = models.BooleanField(default=False, help_text="Whether search engines are asked to list it.")
    signature = models.TextField(blank=True, db_default="", help_text="The manifest's .minisig. Empty: none.")
    signing_key = models.CharField(max_length=56, blank=True, db_default="", help_text="Its public key.")
    signed_at = models.DateTimeField(
        null=True, blank=True, help_text="By its trusted comment, or else when it was added."
    )
    changed_by = models.ForeignKey(
        Membership, models.SET_NULL, null=True, related_name="+", help_text="Who last turned it on or off."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(pictures__in=["none", "posters", "clips"]), name="release_page_pictures"
            ),
            models.CheckConstraint(condition=Q(files__in=["none", "without-test", "all"]), name="release_page_files"),
        ]

    def __str__(self) -> str:
        return f"page of {self.release_id}"

    @property
    def public(self) -> bool:
        """Whether anybody can read it."""
        return self.public_since is not None
