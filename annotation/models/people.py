"""The lead's decisions about people, with reasons."""

from django.db import models
from django.db.models import Q

from corpus.models import Membership


class StatusChange(models.Model):
    """A person paused, barred, admitted again or sent to the exam again, and the reason. None is ever changed."""

    member = models.ForeignKey(Membership, models.PROTECT, related_name="status_changes")
    before = models.CharField(max_length=9, choices=Membership.Status.choices)
    after = models.CharField(max_length=9, choices=Membership.Status.choices)
    reason = models.TextField()
    changed_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(reason=""), name="status_change_has_a_reason")]


class AlertDismissal(models.Model):
    """The lead looked at an alert and says why it is none; it stays away for a while (`people_alerts`)."""

    member = models.ForeignKey(Membership, models.PROTECT, related_name="alert_dismissals")
    kind = models.CharField(max_length=10)
    told = models.TextField(help_text="The reason that the alert gave.")
    note = models.TextField()
    dismissed_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    dismissed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(note=""), name="alert_dismissal_has_a_note")]
        indexes = [models.Index(fields=["member", "kind", "-dismissed_at"])]
