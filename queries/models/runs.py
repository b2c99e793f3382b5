"""Pools from systems' runs: the runs, the recipe, what it chose and why, and the jobs that add and pool."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_noop

from foundation.models import HIGHEST_GRADE, ByMember, Collection, Membership, PlainJob, one_unfinished
from queries.models.pooling import Candidate, Query


class PoolRun(models.Model):
    """A system's run that a collection's pool is made from: whose it is, its file's checksum, its figures."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="pool_runs")
    team = models.CharField(max_length=80)
    system = models.CharField(max_length=80)
    file_name = models.CharField(max_length=200, help_text="As it was called where it came from.")
    sha256 = models.CharField(max_length=64, help_text="Of the file's bytes, hexadecimal.")
    size = models.BigIntegerField(help_text="Bytes.")
    member = models.ForeignKey(
        Membership, models.SET_NULL, null=True, blank=True, related_name="+", help_text="Empty: added by a command."
    )
    added_at = models.DateTimeField(auto_now_add=True)
    queries = models.PositiveIntegerField(help_text="Those that it answers.")
    predictions = models.PositiveBigIntegerField(help_text="In the file.")
    kept = models.PositiveBigIntegerField(help_text="Of these, the first of each query that a pool may use.")
    videos = models.PositiveIntegerField(help_text="Different ones in what is kept.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "team", "system"], name="one_pool_run_a_system"),
            models.UniqueConstraint(fields=["collection", "sha256"], name="one_pool_run_a_file"),
        ]

    def __str__(self) -> str:
        return f"{self.team} {self.system}"


class PoolRunAnswer(models.Model):
    """What a run returned for a query, best first: arrays of one length, a place each.

    `moments` and `ious`: the moment of the corpus that a prediction stands for, and its overlap with it; empty until
    that moment is in the pool. Once there it stays.
    """

    run = models.ForeignKey(PoolRun, models.CASCADE, related_name="answers")
    query = models.ForeignKey(Query, models.PROTECT, related_name="pool_answers")
    videos = ArrayField(models.BigIntegerField(), help_text="Ids.")
    starts = ArrayField(models.FloatField(), help_text="Seconds, as predicted.")
    ends = ArrayField(models.FloatField(), help_text="Seconds, as predicted.")
    moments = ArrayField(models.BigIntegerField(null=True), help_text="Ids.")
    ious = ArrayField(models.FloatField(null=True), help_text="In (0, 1].")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "query"], name="one_pool_answer_a_query"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.query_id}"


class PoolPlan(models.Model):
    """A version of a collection's recipe. A change makes another version; candidates keep the one that chose them.

    A collection without one, or whose current one is the recipe `paper`, is pooled as TVR-Ranking was.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="pool_plans")
    version = models.PositiveIntegerField()
    recipe = models.CharField(max_length=200, help_text="As evaluation.pooling.recipes.recipe_named reads it.")
    iou = models.FloatField(help_text="From which overlap on predictions are the same moment.")
    least_grade = models.PositiveSmallIntegerField(help_text="From which grade on a moment counts as relevant.")
    by_itself = models.BooleanField(help_text="Whether the next batch follows without a review.")
    current = models.BooleanField(default=True)
    member = models.ForeignKey(
        Membership, models.SET_NULL, null=True, blank=True, related_name="+", help_text="Empty: set by a command."
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "version"], name="one_pool_plan_a_version"),
            models.UniqueConstraint(
                fields=["collection"], condition=Q(current=True), name="one_current_pool_plan_a_collection"
            ),
            models.CheckConstraint(condition=Q(iou__gt=0, iou__lte=1), name="pool_plan_iou"),
            models.CheckConstraint(
                condition=Q(least_grade__gte=1, least_grade__lte=HIGHEST_GRADE), name="pool_plan_least_grade"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.recipe} (version {self.version})"


class QueryPool(models.Model):
    """How far a query's pool by a plan is: what may be left to choose when all its candidates are judged."""

    query = models.OneToOneField(Query, models.CASCADE, related_name="pool")
    plan = models.ForeignKey(PoolPlan, models.CASCADE, related_name="+", help_text="By which it was made last.")
    left = models.PositiveIntegerField(help_text="Moments that the recipe may still choose, at most.")
    stale = models.BooleanField(default=True, help_text="Whether runs or recipe have changed since it was made.")
    made_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.query_id}: {self.left} left"


class CandidateSource(models.Model):
    """Why a candidate is in the pool: which run, or which ranker, had it at which rank, by which version of the recipe.

    Candidates without one were ranked by similarity alone, as the paper's recipe has it.
    """

    candidate = models.OneToOneField(Candidate, models.CASCADE, related_name="source")
    plan = models.ForeignKey(PoolPlan, models.PROTECT, related_name="sources")
    run = models.ForeignKey(PoolRun, models.PROTECT, null=True, blank=True, related_name="chosen")
    ranker = models.CharField(max_length=200, blank=True, help_text="Where no run had it: name@fingerprint.")
    rank = models.PositiveIntegerField(help_text="Its place in that run, or by that ranker, from 1.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(run__isnull=False, ranker="") | (Q(run__isnull=True) & ~Q(ranker="")),
                name="candidate_source_is_run_or_ranker",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.candidate_id} at {self.rank}"


class SimilarityRanking(models.Model):
    """A query's moments by similarity, best first, where a recipe of several parts chooses among them."""

    query = models.OneToOneField(Query, models.CASCADE, related_name="similarity_ranking")
    ranked_by = models.CharField(max_length=200, help_text="The encoder: name@fingerprint of the weights.")
    moments = ArrayField(models.BigIntegerField(), help_text="Ids.")
    captions = ArrayField(models.BigIntegerField(), help_text="Of each the moment's best, ids.")
    similarities = ArrayField(models.FloatField())

    def __str__(self) -> str:
        return f"{self.query_id} by {self.ranked_by}"


class PoolRunAddition(PlainJob, ByMember):
    """A job that adds a run which a lead uploaded. The file lies in the storage until it has ended."""

    TASK = "queries.tasks.add_pool_run"
    KIND, TITLE = "pool-run", gettext_noop("Adding of a run")
    PAGE = "pool-runs"
    UNIT = gettext_noop("queries stored")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="pool_run_additions")
    team = models.CharField(max_length=80)
    system = models.CharField(max_length=80)
    file_name = models.CharField(max_length=200, help_text="As the lead's machine calls it.")
    stored_file = models.CharField(max_length=300, blank=True, help_text="Its name in the storage; empty: gone.")
    size = models.BigIntegerField(help_text="Bytes.")
    run = models.ForeignKey(PoolRun, models.SET_NULL, null=True, related_name="+", help_text="What came of it.")

    def __str__(self) -> str:
        return f"{self.team} {self.system}"


class PoolMaking(PlainJob, ByMember):
    """A job that makes or extends a collection's pool by its recipe, a query a transaction."""

    TASK = "annotation.tasks.make_pool"
    KIND, TITLE = "pool-making", gettext_noop("Making of the pool")
    PAGE = "pool-recipe"
    UNIT = gettext_noop("queries pooled")
    KEPT = gettext_noop("The queries that were pooled stay so: resuming goes on with the others.")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="pool_makings")

    class Meta(PlainJob.Meta):
        constraints = [
            *PlainJob.Meta.constraints,
            one_unfinished("one_unfinished_pool_making_a_collection"),
        ]

    def __str__(self) -> str:
        return "pool"
