"""Pilots and depth studies: what was asked for, and progress."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy, gettext_noop

from foundation.models import Collection, Job, Membership


class Study(Job):
    """A study of a collection. `made` is the collection that it is judged in, once its candidates are there."""

    class Kind(models.TextChoices):
        PILOT = "pilot", gettext_lazy("pilot")
        DEPTH = "depth", gettext_lazy("depth study")

    class State(models.TextChoices):
        QUEUED = "queued", gettext_lazy("waits for a worker")
        RUNNING = "running", gettext_lazy("its moments are being searched")
        MADE = "made", gettext_lazy("made")
        REFUSED = "refused", gettext_lazy("not made")
        STOPPED = "stopped", gettext_lazy("stopped")

    TASK = "annotation.tasks.begin_study"
    KIND, TITLE = "study", gettext_noop("Study")
    PAGE = "studies"
    UNIT = gettext_noop("captions encoded and queries ranked")
    DONE = "made"

    collection = models.ForeignKey(
        Collection, models.CASCADE, related_name="studies_asked", help_text="What it studies."
    )
    made = models.OneToOneField(Collection, models.PROTECT, null=True, blank=True, related_name="study")
    kind = models.CharField(max_length=5, choices=Kind.choices)
    number = models.PositiveIntegerField(help_text="Among those of its kind, from 1.")
    queries = models.PositiveIntegerField()
    seed = models.BigIntegerField(help_text="Of the draw of the queries, and of the moments at random.")
    depth = models.PositiveIntegerField(help_text="Ranked moments a query; those of later ranks are at random.")
    at_random = models.PositiveIntegerField(default=0, help_text="Moments at random a query, besides.")
    outside = models.BooleanField(
        null=True, blank=True, help_text="Whether no query of it was a val or test query when it was drawn."
    )
    state = models.CharField(max_length=7, choices=State.choices, default=State.QUEUED)
    done = models.PositiveIntegerField(default=0, help_text="Captions encoded and queries ranked so far.")
    total = models.PositiveIntegerField(default=0)
    asked_by = models.ForeignKey(Membership, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        verbose_name_plural = "studies"
        constraints = [
            models.UniqueConstraint(fields=["collection", "kind", "number"], name="one_study_a_number"),
            models.UniqueConstraint(
                fields=["collection", "kind"],
                condition=Q(state__in=["queued", "running"]),
                name="one_study_being_made_a_kind",
            ),
            models.CheckConstraint(condition=Q(queries__gte=1, depth__gte=1), name="study_size"),
            models.CheckConstraint(condition=Q(kind__in=["pilot", "depth"]), name="study_kind"),
            models.CheckConstraint(
                condition=Q(state="made", made__isnull=False)
                | Q(state__in=["queued", "running", "refused", "stopped"], made__isnull=True),
                name="study_made_has_its_collection",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display().capitalize()} {self.number}"

    @property
    def asker(self) -> Membership | None:
        return self.asked_by
