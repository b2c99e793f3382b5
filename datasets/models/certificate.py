"""Reusability certificates of releases."""

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_noop

from foundation.models import PlainJob


class Certificate(PlainJob):
    """A job that computes a release's certificate over the runs that there are, and the certificate.

    It is no part of the release's files, which never change: another one is computed when there are other runs. One
    that is done never changes, and the same release, runs and version of the measures give the same one again.
    """

    TASK = "datasets.tasks.certify_release"
    KIND, TITLE, COLLECTION = "certificate", gettext_noop("Reusability certificate"), "release__collection"
    UNIT = gettext_noop("steps")

    release = models.ForeignKey("datasets.Release", models.CASCADE, related_name="certificates")
    systems = models.JSONField(
        default=dict, help_text="split -> the runs: name, team, from (pool or leaderboard), id and SHA-256 of the file."
    )
    results = models.JSONField(
        default=dict, help_text="split -> evaluation.pooling.certificate.Certificate as JSON; null for NaN."
    )

    def __str__(self) -> str:
        return self.release.name

    def get_absolute_url(self) -> str:
        return reverse("release", args=[self.release.collection.name, self.release_id]) + "#certificate"
