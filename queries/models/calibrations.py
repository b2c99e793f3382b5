"""What the checks' thresholds let pass of a collection's own captions, by an encoder."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_noop

from foundation.models import ByMember, Collection, PlainJob, one_unfinished


class CheckCalibration(PlainJob, ByMember):
    """A job that measures the checks on right captions and on wrong ones made of them, and proposes thresholds."""

    TASK = "queries.tasks.calibrate_checks"
    KIND, TITLE = "calibration", gettext_noop("Calibration of the checks")
    PAGE = "calibration"
    UNIT = gettext_noop("captions measured")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="check_calibrations")
    captions = models.PositiveIntegerField(help_text="How many right ones to take at most.")
    seed = models.PositiveIntegerField(default=1, help_text="By which they are drawn.")
    style = models.CharField(max_length=8, blank=True, help_text="The rewriting style that was measured.")
    encoder = models.CharField(max_length=400, blank=True, help_text="Its label: the model's name and its pooling.")
    identity = models.CharField(max_length=200, blank=True, help_text="With the fingerprint of its weights.")
    similarity = models.FloatField(null=True, blank=True, help_text="The proposed threshold.")
    kept = models.FloatField(null=True, blank=True, help_text="The proposed threshold of words kept.")
    found = models.JSONField(default=dict, help_text="Captions by kind, and error rates by threshold.")
    adopted_at = models.DateTimeField(null=True, blank=True, help_text="When its thresholds last became the settings.")

    class Meta(PlainJob.Meta):
        constraints = [
            *PlainJob.Meta.constraints,
            one_unfinished("one_unfinished_check_calibration_a_collection"),
        ]

    def __str__(self) -> str:
        return self.encoder
