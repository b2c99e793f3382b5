"""Queries and their draw, candidates, and the jobs that draw and fetch them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy, gettext_noop

from corpus.models import Description, Moment
from foundation.counted import counted
from foundation.models import ByMember, Collection, Job, PlainJob, one_unfinished, plain_states
from foundation.models.jobs import job_states


class Split(models.TextChoices):
    VAL = "val", "val"
    TEST = "test", "test"


class CandidateSearch(models.Model):
    """An approximate search for a collection's candidates, and its recall against the exact one; those without one are
    exact.

    The same search, of the same vectors for the same queries, is one row however often it is made.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="candidate_searches")
    plan = models.CharField(max_length=32, help_text="Digest of all that was searched, and for what.")
    encoder = models.CharField(max_length=200, help_text="name@fingerprint of the weights.")
    depth = models.PositiveIntegerField(help_text="Moments a query: the k of its recall.")
    texts = models.PositiveIntegerField(help_text="Different captions searched.")
    least_recall = models.FloatField(help_text="What the collection asked for.")
    recall = models.FloatField(help_text="The share of the exact search's moments that it found, for the sample.")
    sample = models.PositiveIntegerField(help_text="Queries that this was measured on.")
    probes = models.PositiveIntegerField(help_text="Lists of each index looked into for a query.")
    shortlist = models.PositiveIntegerField(help_text="Captions of each index scored exactly for a query.")
    measured_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "plan", "least_recall"], name="one_row_a_search"),
            models.CheckConstraint(condition=Q(recall__gte=0, recall__lte=1), name="search_recall"),
        ]

    def __str__(self) -> str:
        return f"recall {self.recall:.3f}"


class Query(models.Model):
    """What annotators judge moments for: a caption drawn for val or test, or a topic, which has no description.

    Its id in files is its description's `source_id` or its own `topic_id` (`queries/pooling/query_columns.py`). A
    study's query is in no split; its description is that of the study's collection.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="queries")
    description = models.ForeignKey(
        Description, models.PROTECT, related_name="+", null=True, blank=True, help_text="Empty: this is a topic."
    )
    topic_id = models.CharField(
        max_length=64, blank=True, db_default="", help_text="A topic's id in its source; empty: drawn."
    )
    narrative = models.TextField(
        blank=True, db_default="", help_text="Of a topic: what counts as relevant, for annotators."
    )
    language = models.CharField(
        max_length=35, blank=True, db_default="", help_text="Of a topic: BCP 47, e.g. en; empty: not stated."
    )
    written_by = models.CharField(
        max_length=200, blank=True, db_default="", help_text="Of a topic: who wrote it; empty: not stated."
    )
    split = models.CharField(max_length=4, choices=Split.choices, blank=True, help_text="Empty in a study.")
    text = models.TextField()
    normalised = models.TextField()
    position = models.PositiveIntegerField(help_text="Its place in the draw.")
    drawn_at = models.DateTimeField(auto_now_add=True)
    ranked_by = models.CharField(
        max_length=200, blank=True, help_text="The encoder that ranked its candidates: name@fingerprint of the weights."
    )
    search = models.ForeignKey(
        CandidateSearch,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="queries",
        help_text="The approximate search that found its candidates; empty: the exact one.",
    )

    class Meta:
        verbose_name_plural = "queries"
        constraints = [
            models.UniqueConstraint(fields=["collection", "normalised"], name="one_query_a_caption"),
            models.UniqueConstraint(fields=["collection", "split", "position"], name="one_query_a_position"),
            models.CheckConstraint(condition=Q(split__in=["val", "test", ""]), name="query_split"),
            models.UniqueConstraint(
                fields=["collection", "topic_id"], condition=~Q(topic_id=""), name="one_topic_a_topic_id"
            ),
            models.CheckConstraint(
                condition=Q(description__isnull=False, topic_id="", narrative="", language="", written_by="")
                | (Q(description__isnull=True, split__in=["val", "test"]) & ~Q(topic_id="")),
                name="query_is_drawn_or_topic",
            ),
        ]

    def __str__(self) -> str:
        return self.text

    @property
    def words(self) -> str:
        """What annotators read; "" where a medium stands instead of words. Costs SQL unless `medium` was selected."""
        return "" if (medium := getattr(self, "medium", None)) and medium.alone else self.text

    @property
    def shown_medium(self) -> str | None:
        """Its picture, clip or sound as `QueryMedium.shown_as`; None: none. Costs SQL unless `medium` was selected."""
        medium = getattr(self, "medium", None)
        return None if medium is None else str(medium.shown_as)


class Draw(models.Model):
    """The parameters by which a collection's val and test queries were drawn."""

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="draw")
    val = models.PositiveIntegerField()
    test = models.PositiveIntegerField()
    seed = models.BigIntegerField()
    stratify = models.CharField(
        max_length=200,
        blank=True,
        help_text="By what of their videos the captions were told apart, so that each had its share; empty: nothing.",
    )
    each_caption = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether equal captions had a chance each, as in the paper; otherwise they had one together.",
    )
    drawn_at = models.DateTimeField(auto_now_add=True)


class Candidate(models.Model):
    """A query-moment pair with its rank (1 is judged first).

    Ranked by similarity it has that of query and caption, where `caption` is the moment's best; a candidate that was
    found otherwise has neither.
    """

    query = models.ForeignKey(Query, models.CASCADE, related_name="candidates", db_index=False)
    moment = models.ForeignKey(Moment, models.PROTECT, related_name="+")
    caption = models.ForeignKey("queries.Caption", models.PROTECT, related_name="+", null=True, blank=True)
    caption_text = models.TextField(
        blank=True, db_default="", help_text="The caption as it was when the candidate was fetched; empty: none."
    )
    rank = models.PositiveIntegerField()
    similarity = models.FloatField(null=True, blank=True, help_text="Cosine of query and caption; empty: none.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["query", "moment"], name="one_candidate_a_moment"),
            models.UniqueConstraint(fields=["query", "rank"], name="one_candidate_a_rank"),
            models.CheckConstraint(condition=Q(rank__gte=1), name="candidate_rank"),
            models.CheckConstraint(condition=Q(similarity__gte=-1, similarity__lte=1), name="candidate_similarity"),
        ]


class CandidateFetch(Job, ByMember):
    """A job that fetches candidates for a lead in the browser, with its progress."""

    State = job_states(gettext_lazy("being fetched"), gettext_lazy("fetched"), gettext_lazy("not fetched"))
    TASK = "queries.tasks.fetch_for_lead"
    KIND, TITLE = "candidates", gettext_noop("Fetching of candidates")
    PAGE = "pool"
    UNIT = gettext_noop("captions encoded and queries ranked")
    KEPT = gettext_noop("Encoded captions are kept; candidates are as they were.")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="candidate_fetches")
    done = models.PositiveIntegerField(default=0, help_text="Captions encoded and queries ranked.")
    total = models.PositiveIntegerField(default=0, help_text="As many at most.")
    said = models.TextField(blank=True, help_text="What came of it, in words.")

    class Meta:
        constraints = [
            plain_states("candidate_fetch_state"),
            one_unfinished("one_unfinished_candidate_fetch_a_collection"),
        ]

    def __str__(self) -> str:
        return "candidates"


class QueryDraw(PlainJob, ByMember):
    """A job that draws val and test queries for a lead in the browser."""

    TASK = "queries.tasks.draw_queries"
    KIND, TITLE = "draw", gettext_noop("Draw of queries")
    PAGE = "draw"
    UNIT = gettext_noop("captions read")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="query_draws")
    val = models.PositiveIntegerField()
    test = models.PositiveIntegerField()
    seed = models.BigIntegerField()
    stratify = models.CharField(max_length=200, blank=True, help_text="As in Draw.")
    strata = models.JSONField(default=dict, help_text="Video name -> stratum, where a file says it.")
    each_caption = models.BooleanField(default=False, db_default=False, help_text="As in Draw.")
    redraw = models.BooleanField(default=False, help_text="Whether the draw that stands may be replaced.")

    class Meta(PlainJob.Meta):
        constraints = [
            *PlainJob.Meta.constraints,
            one_unfinished("one_unfinished_draw_a_collection"),
        ]

    def __str__(self) -> str:
        return f"{self.val:,} val and {counted(self.test, 'test query', 'test queries')}, seed {self.seed}"
