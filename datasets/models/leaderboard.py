"""Leaderboards, runs, and release jobs."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy, gettext_noop

from foundation.models import ByMember, Collection, Job, plain_states
from foundation.models.jobs import job_states


class ReleaseJob(Job, ByMember):
    """A job that makes a release for a lead in the browser, with its progress."""

    State = job_states(gettext_lazy("is being made"), gettext_lazy("made"), gettext_lazy("not made"))
    TASK = "datasets.tasks.make_release"
    KIND, TITLE = "release", gettext_noop("Release")
    PAGE = "releases"
    UNIT = gettext_noop("queries written")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="release_jobs")
    name = models.CharField(max_length=60, blank=True, help_text="Empty: a draft, named after its content.")
    formats = ArrayField(models.CharField(max_length=30))
    adjudicated = models.BooleanField(
        default=False, db_default=False, help_text="Whether discarded pairs have the lead's grade where there is one."
    )
    train_below = models.FloatField(
        null=True,
        blank=True,
        help_text="Pseudo-training queries with this cosine to a val or test query are left out; empty: none are.",
    )
    posteriors = models.BooleanField(
        default=False, db_default=False, help_text="Whether it says how likely each grade of a pair is."
    )
    provenance = models.BooleanField(
        default=False, db_default=False, help_text="Whether it says what each judgment and caption comes from."
    )
    machine_judges = ArrayField(
        models.CharField(max_length=60),
        default=list,
        db_default=[],
        help_text="Names of the machine judges whose grades it has, in a file of their own.",
    )
    about = models.JSONField(
        default=dict, db_default={}, help_text="What the authors say of it: datasets.formats.about.FIELDS."
    )
    done = models.PositiveIntegerField(default=0, help_text="Queries written.")
    total = models.PositiveIntegerField(default=0)
    release = models.ForeignKey("datasets.Release", models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints = [plain_states("release_job_state")]

    def __str__(self) -> str:
        return self.name or "draft"


class Sharing(models.Model):
    """What members who don't lead see of a release. Without a row: nothing."""

    release = models.OneToOneField("datasets.Release", models.CASCADE, related_name="sharing")
    members = models.BooleanField(default=False, help_text="Members see the release and its boards and upload runs.")
    hide_test = models.BooleanField(default=True, help_text="The ground truth of test stays with the leads.")

    def __str__(self) -> str:
        return f"sharing of {self.release_id}"


class Board(models.Model):
    """The leaderboard of a released split. Its ground truth is the release's file, which never changes."""

    release = models.ForeignKey("datasets.Release", models.PROTECT, related_name="boards")
    split = models.CharField(max_length=4, choices=[("val", "val"), ("test", "test")])
    measures = ArrayField(models.CharField(max_length=40))
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "split"], name="one_board_a_split"),
            models.CheckConstraint(condition=Q(split__in=["val", "test"]), name="board_split"),
        ]

    def __str__(self) -> str:
        return self.split


class BoardQuery(models.Model):
    """A query of a board with its ground truth as released, for display; scores are computed from the file."""

    board = models.ForeignKey(Board, models.CASCADE, related_name="queries")
    position = models.PositiveIntegerField(help_text="From 0, in the file's order.")
    query_id = models.TextField(help_text="As text, whatever it is in JSON.")
    text = models.TextField()
    moments = models.JSONField(help_text="The file's relevant_moment.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["board", "position"], name="one_board_query_a_position"),
            models.UniqueConstraint(fields=["board", "query_id"], name="one_board_query_an_id"),
        ]

    def __str__(self) -> str:
        return self.text


class Run(Job, ByMember):
    """A system's ranked moments for a board. Its file lies in the storage once, under its hash."""

    class State(models.TextChoices):
        QUEUED = "queued", gettext_lazy("waits for a worker")
        SCORING = "scoring", gettext_lazy("is being scored")
        SCORED = "scored", gettext_lazy("scored")
        REFUSED = "refused", gettext_lazy("refused")
        STOPPED = "stopped", gettext_lazy("stopped")

    TASK = "datasets.tasks.score_run"
    KIND, TITLE, COLLECTION = "run", gettext_noop("Scoring of a run"), "board__release__collection"
    TURN = ("queued", "scoring")
    RUNNING, DONE = "scoring", "scored"

    board = models.ForeignKey(Board, models.CASCADE, related_name="runs")
    name = models.CharField(max_length=80)
    version = models.PositiveIntegerField(default=1)
    file_name = models.CharField(max_length=200, help_text="As the uploader's machine calls it.")
    stored_file = models.CharField(max_length=300, help_text="Its name in the storage.")
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField(help_text="Bytes.")
    state = models.CharField(max_length=7, choices=State.choices, default=State.QUEUED)
    step = models.CharField(max_length=60, blank=True, help_text="What a worker is doing with it.")
    values = models.JSONField(default=dict, help_text="measure -> value")
    against_best = models.JSONField(default=dict, help_text="measure -> difference to the best run, and its p-value.")
    unanswered = models.PositiveIntegerField(default=0, help_text="Queries without predictions; they count 0.")
    unknown = models.PositiveIntegerField(default=0, help_text="Its rows that the ground truth doesn't know.")
    predictions = models.PositiveIntegerField(default=0)
    manifest = models.JSONField(
        default=dict,
        db_default={},
        help_text="What made it, as datasets.leaderboard.run_manifests checks it; {}: unknown.",
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True, help_text="Replaced, or taken from the board.")
    public = models.BooleanField(
        default=False, db_default=False, help_text="Whether its owner shows it on the release's public page."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["board", "name", "version"], name="one_run_a_version"),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "scoring", "scored", "refused", "stopped"]), name="run_state"
            ),
        ]

    def __str__(self) -> str:
        return self.name if self.version == 1 else f"{self.name} (version {self.version})"

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.board.release.collection.name, self.pk])

    @classmethod
    def to_do(cls) -> models.QuerySet[Run]:
        return super().to_do().filter(withdrawn_at=None)


class RunAnswer(models.Model):
    """A run's result on one query of its board: the best predictions, and the value on every measure."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="answers")
    query = models.ForeignKey(BoardQuery, models.CASCADE, related_name="answers")
    predictions = models.JSONField(help_text="[[video_name, start, end, score or null]], best first.")
    values = ArrayField(models.FloatField(null=True), help_text="In the order of the board's measures; null: none.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "query"], name="one_answer_a_query"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.query_id}"
