"""Openings of judging that a lead asks for in the browser."""

from django.db import models
from django.utils.translation import gettext_noop

from foundation.models import ByMember, Collection, PlainJob, one_unfinished


class Opening(PlainJob, ByMember):
    """A job that opens the first batch of every query that has its candidates."""

    TASK = "annotation.tasks.open_batches"
    KIND, TITLE = "opening", gettext_noop("Opening of judging")
    PAGE = "opening"
    UNIT = gettext_noop("queries")
    KEPT = gettext_noop("Batches that are open stay open; the others follow when it is resumed.")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="openings")

    class Meta(PlainJob.Meta):
        constraints = [
            *PlainJob.Meta.constraints,
            one_unfinished("one_unfinished_opening_a_collection"),
        ]

    def __str__(self) -> str:
        return "first batches"
