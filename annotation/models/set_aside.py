"""Judgments that a lead takes out of consensus, since their annotator's gold went wrong."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from annotation.models.review import Ruling
from foundation.models import Membership


class SetAside(Ruling):
    """One decision: a person's judgments `since` a moment count no more, and others judge their pairs."""

    member = models.ForeignKey(Membership, models.PROTECT, related_name="set_asides")
    since = models.DateTimeField(help_text="When the last good gold was answered.")
    reason = models.TextField()
    judgments = ArrayField(models.BigIntegerField(), help_text="Those that it took out.")
    barred = ArrayField(models.BigIntegerField(), help_text="Assignments by which the person doesn't get them again.")
    restored = models.PositiveIntegerField(
        null=True, blank=True, help_text="How many count again since it was withdrawn."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="set_aside_reason"),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True, withdrawn_by__isnull=True, restored__isnull=True)
                | Q(withdrawn_at__isnull=False, withdrawn_by__isnull=False, restored__isnull=False),
                name="set_aside_withdrawn_as_a_whole",
            ),
        ]
