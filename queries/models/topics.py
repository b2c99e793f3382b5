"""The job that imports topics."""

from __future__ import annotations

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_noop

from foundation.models import ByMember, Collection, PlainJob, one_unfinished
from queries.models.pooling import Split


class TopicImport(PlainJob, ByMember):
    """A job that imports a file of topics that a lead uploaded. The file lies in the storage."""

    TASK = "queries.tasks.import_topics"
    KIND, TITLE = "topics", gettext_noop("Import of topics")
    UNIT = gettext_noop("rows read")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="topic_imports")
    file_name = models.CharField(max_length=200, help_text="As the lead's machine calls it.")
    stored_file = models.CharField(max_length=300, help_text="Its name in the storage.")
    format = models.CharField(max_length=20, blank=True, help_text="Empty: to be guessed.")
    charset = models.CharField(max_length=20, blank=True, help_text="Empty: to be detected.")
    separator = models.CharField(max_length=10, blank=True, help_text="Of CSV; empty: to be detected.")
    split = models.CharField(max_length=4, choices=Split.choices, help_text="Of topics that state none.")

    class Meta(PlainJob.Meta):
        constraints = [
            *PlainJob.Meta.constraints,
            one_unfinished("one_unfinished_topic_import_a_collection"),
        ]

    def __str__(self) -> str:
        return self.file_name

    def get_absolute_url(self) -> str:
        return reverse("topics", args=[self.collection.name])
