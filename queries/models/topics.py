"""The job that imports topics, and the pictures, clips and sounds that are queries."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy, gettext_noop

from foundation.models import ByMember, Collection, PlainJob, new_public_name, one_unfinished
from queries.models.pooling import Query, Split


class TopicImport(PlainJob, ByMember):
    """A job that imports a file of topics that a lead uploaded. The file lies in the storage."""

    TASK = "queries.tasks.import_topics"
    KIND, TITLE = "topics", gettext_noop("Import of topics")
    PAGE = "topics"
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


class QueryMedium(models.Model):
    """A picture, clip or sound that is a topic's query, beside its words or instead of them."""

    class Kind(models.TextChoices):
        PICTURE = "picture", gettext_lazy("picture")
        CLIP = "clip", gettext_lazy("clip")
        SOUND = "sound", gettext_lazy("sound")

    query = models.OneToOneField(Query, models.CASCADE, related_name="medium")
    kind = models.CharField(max_length=7, choices=Kind.choices)
    alone = models.BooleanField(
        default=False, help_text="Instead of words: the query's text is a label that annotators don't read."
    )
    public_name = models.CharField(max_length=32, unique=True, default=new_public_name)
    suffix = models.CharField(max_length=4, help_text="Of its file's type, such as jpg.")
    media_file = models.CharField(max_length=300, help_text="Its name in the storage.")
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    sha256 = models.CharField(max_length=64)

    class Meta:
        verbose_name_plural = "query media"
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["picture", "clip", "sound"]), name="query_medium_kind"),
        ]

    def __str__(self) -> str:
        return self.shown_as

    @property
    def shown_as(self) -> str:
        """Its kind and its file's public name, as `annotation/assignment/seat_sql.py` reads it, too."""
        return f"{self.kind}/{self.public_name}.{self.suffix}"
