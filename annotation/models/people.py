"""The lead's decisions about people, with reasons."""

from django.db import models
from django.db.models import Q

from foundation.models import Membership


class StatusChange(models.Model):
    """A change of an annotator's status, with the reason. Rows never change."""

    member = models.ForeignKey(Membership, models.PROTECT, related_name="status_changes")
    before = models.CharField(max_length=9, choices=Membership.Status.choices)
    after = models.CharField(max_length=9, choices=Membership.Status.choices)
    reason = models.TextField()
    changed_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(reason=""), name="status_change_has_a_reason")]


class AlertDismissal(models.Model):
    """An alert that a lead dismissed, with a note; it doesn't show for a while."""

    member = models.ForeignKey(Membership, models.PROTECT, related_name="alert_dismissals")
    kind = models.CharField(max_length=10)
    told = models.TextField(help_text="The reason that the alert gave.")
    note = models.TextField()
    dismissed_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    dismissed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(note=""), name="alert_dismissal_has_a_note")]
        indexes = [models.Index(fields=["member", "kind", "-dismissed_at"])]
