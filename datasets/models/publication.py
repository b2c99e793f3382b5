"""Publications of a release: target, plan, progress."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy, gettext_noop

from foundation.models import Job, Membership


class Publication(Job):
    """A publication of a release to a target: planned by a worker, sent when a lead confirms. Rows are the history."""

    class State(models.TextChoices):
        LOOKING = "looking", gettext_lazy("is being looked at")
        PLANNED = "planned", gettext_lazy("not sent")
        SENDING = "sending", gettext_lazy("is being sent")
        STOPPED = "stopped", gettext_lazy("stopped")
        DONE = "done", gettext_lazy("published")
        REFUSED = "refused", gettext_lazy("refused")

    TASK = "datasets.tasks.publish_release"
    KIND, TITLE, COLLECTION = "publication", gettext_noop("Publication"), "release__collection"
    KEPT = gettext_noop("Files already sent stay there, and aren't sent again.")
    TURN = ("looking", "sending")
    RUNNING = ""

    release = models.ForeignKey("datasets.Release", models.PROTECT, related_name="publications")
    member = models.ForeignKey(
        Membership, models.SET_NULL, null=True, related_name="+", help_text="Nobody: a command on the server."
    )
    root = models.CharField(max_length=400, blank=True, help_text="The allowed place that was chosen.")
    below = models.CharField(max_length=200, blank=True, help_text="Where below it.")
    place = models.CharField(max_length=700, help_text="Both together, as the command takes it.")
    format_name = models.CharField(max_length=30, blank=True, help_text="Empty: all of the release.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.LOOKING)
    plan = models.JSONField(default=list, help_text="Every file: path, goes_to, address, size, sha256, state.")
    replace = models.BooleanField(default=False, help_text="The lead agreed that what the plan calls differing goes.")
    sent = ArrayField(models.TextField(), default=list, help_text="`goes_to` of what has arrived.")
    final = models.BooleanField(default=False, db_default=False, help_text="An archive publishes the record, for good.")
    new_record = models.BooleanField(
        default=False, db_default=False, help_text="No new version of an earlier release's record."
    )
    record = models.JSONField(
        default=dict, db_default={}, help_text="What an archive says of its record (`Target.outcome`)."
    )
    confirmed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["looking", "planned", "sending", "stopped", "done", "refused"]),
                name="publication_state",
            ),
            models.UniqueConstraint(
                fields=["place"], condition=Q(state="sending"), name="one_publication_under_way_a_place"
            ),
        ]

    def __str__(self) -> str:
        return self.place

    def get_absolute_url(self) -> str:
        return reverse("publication", args=[self.release.collection.name, self.pk])

    def values_to_resume(self) -> dict[str, Any]:
        # What nobody has confirmed is only looked at again.
        return {"state": self.State.LOOKING if self.confirmed_at is None else self.State.SENDING}
