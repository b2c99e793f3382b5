"""The table of the demo: theatres that people try on their own site."""

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy, gettext_noop

from foundation.models import ByMember, Collection, Job, plain_states
from foundation.models.jobs import job_states


class TheatreBuild(Job, ByMember):
    """A job that draws the theatre and makes a collection of it, open for judging."""

    State = job_states(gettext_lazy("is being built"), gettext_lazy("built"), gettext_lazy("could not be built"))

    TASK = "demo.tasks.build_trial"
    KIND, TITLE = "theatre", gettext_noop("Paper theatre")
    UNIT = gettext_noop("films")
    KEPT = gettext_noop("What is drawn and imported stays, and it goes on from there.")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="+")
    videos = models.PositiveSmallIntegerField(default=40)

    class Meta:
        constraints = [plain_states("theatre_build_state")]

    def __str__(self) -> str:
        return f"{self.videos} films"

    def get_absolute_url(self) -> str:
        return reverse("job", args=[self.collection.name, self.KIND, self.pk])
