"""Rewriting jobs, attempts, captions; in their own modules queries, candidates and vectors, by noun."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q, Value
from django.utils.translation import gettext_lazy, gettext_noop

from corpus.models import Description
from foundation.models import Collection, Job, Membership
from queries.models.calibrations import CheckCalibration as CheckCalibration
from queries.models.caption_imports import BroughtCaption as BroughtCaption
from queries.models.caption_imports import CaptionImport as CaptionImport
from queries.models.llm import LlmChoice as LlmChoice
from queries.models.llm import LlmServer as LlmServer
from queries.models.llm import LlmTrial as LlmTrial
from queries.models.pooling import Candidate as Candidate
from queries.models.pooling import CandidateFetch as CandidateFetch
from queries.models.pooling import CandidateSearch as CandidateSearch
from queries.models.pooling import Draw as Draw
from queries.models.pooling import Query as Query
from queries.models.pooling import QueryDraw as QueryDraw
from queries.models.pooling import Split as Split
from queries.models.previews import NameCount as NameCount
from queries.models.previews import RewritePreview as RewritePreview
from queries.models.runs import CandidateSource as CandidateSource
from queries.models.runs import PoolMaking as PoolMaking
from queries.models.runs import PoolPlan as PoolPlan
from queries.models.runs import PoolRun as PoolRun
from queries.models.runs import PoolRunAddition as PoolRunAddition
from queries.models.runs import PoolRunAnswer as PoolRunAnswer
from queries.models.runs import QueryPool as QueryPool
from queries.models.runs import SimilarityRanking as SimilarityRanking
from queries.models.topics import QueryMedium as QueryMedium
from queries.models.topics import TopicImport as TopicImport
from queries.models.vectors import Embedding as Embedding
from queries.models.vectors import VectorIndex as VectorIndex
from queries.models.vectors import VectorShard as VectorShard


class RewriteJob(Job):
    """One run of a rewriter over a collection. Its exchanges hold what was sent and what it cost."""

    class State(models.TextChoices):
        RUNNING = "running", gettext_lazy("running")
        DONE = "done", gettext_lazy("done")
        STOPPED = "stopped", gettext_lazy("stopped")

    TASK = "queries.tasks.go_on_rewriting"
    KIND, TITLE = "rewriting", gettext_noop("Rewriting")
    PAGE = "rewriting"
    UNIT = gettext_noop("descriptions captioned")
    KEPT = gettext_noop("Every answer is stored: resuming continues there, and nothing is paid for twice.")
    TURN = ("running",)
    REFUSED = "stopped"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="rewrite_jobs")
    rewriter = models.CharField(max_length=20)
    model = models.CharField(max_length=200)
    prompt_version = models.CharField(max_length=40, blank=True)
    instructions = models.TextField(blank=True, help_text="The system prompt as sent, the collection's context in it.")
    server = models.CharField(max_length=500, blank=True, help_text="The base URL, without any password in it.")
    answer_format = models.CharField(
        max_length=12, blank=True, help_text="What the server supports: json_schema, json_object or plain."
    )
    batch_api = models.BooleanField(default=False)
    member = models.ForeignKey(
        Membership,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who asked for it; nobody: a command on the server.",
    )
    unattended = models.BooleanField(default=False, help_text="A worker runs it, and goes on with it when it starts.")
    price_in = models.DecimalField(max_digits=12, decimal_places=6, null=True, help_text="A million tokens sent.")
    price_out = models.DecimalField(max_digits=12, decimal_places=6, null=True, help_text="A million tokens answered.")
    batch_share = models.DecimalField(
        max_digits=6, decimal_places=4, null=True, help_text="What the Batch endpoints take of the prices."
    )
    limit = models.DecimalField(max_digits=12, decimal_places=6, null=True, help_text="What it may cost at most.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=["running", "done", "stopped"]), name="rewrite_job_state"),
            models.UniqueConstraint(
                fields=["collection"], condition=Q(state="running"), name="one_running_rewrite_job_a_collection"
            ),
        ]

    def __str__(self) -> str:
        return self.model

    def values_to_resume(self) -> dict[str, Any]:
        # Whoever began it, a worker goes on with it.
        return {**super().values_to_resume(), "unattended": True}

    @classmethod
    def to_do(cls) -> models.QuerySet[RewriteJob]:
        return super().to_do().filter(unattended=True)

    @property
    def lock(self) -> tuple[str, int]:
        return "queries.rewriting", self.collection_id


class Parcel(models.Model):
    """Requests of one batch (a file for the Batch endpoints). Stored before anything is sent, so that none is lost."""

    job = models.ForeignKey(RewriteJob, models.CASCADE, related_name="parcels")
    key = models.CharField(max_length=32, unique=True, help_text="Sent along: finds a batch whose id was not stored.")
    remote_id = models.CharField(max_length=200, blank=True, help_text="The server's batch id; empty: not known.")
    status = models.CharField(max_length=40, blank=True, help_text="As the server said last.")
    problem = models.TextField(blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When sending began: the server may know it.")
    collected_at = models.DateTimeField(null=True, blank=True)


class Exchange(models.Model):
    """One request to an LLM and what came back, stored as soon as it came and before anything is checked."""

    job = models.ForeignKey(RewriteJob, models.CASCADE, related_name="exchanges")
    parcel = models.ForeignKey(Parcel, models.CASCADE, null=True, blank=True, related_name="exchanges")
    number = models.PositiveSmallIntegerField(help_text="Which attempt at its descriptions it is for.")
    level = models.PositiveSmallIntegerField(
        default=0, help_text="How often its descriptions failed in larger requests."
    )
    temperature = models.FloatField()
    seed = models.BigIntegerField(null=True, blank=True, help_text="Empty where the server takes none.")
    tries = models.PositiveSmallIntegerField(default=1, help_text="1 and the retries it took.")
    made_at = models.DateTimeField(auto_now_add=True)
    answered_at = models.DateTimeField(null=True, blank=True, help_text="Empty while it waits in a parcel.")
    content = models.TextField(blank=True, help_text="The model's answer as it came.")
    problem = models.TextField(blank=True, help_text="Why there is no answer, or not a whole one.")
    served_model = models.CharField(max_length=200, blank=True)
    fingerprint = models.CharField(max_length=200, blank=True, help_text="The server's system_fingerprint.")
    request_id = models.CharField(max_length=200, blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    chars_in = models.PositiveIntegerField(default=0)
    chars_out = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    tokens_estimated = models.BooleanField(default=False, help_text="The server said no usage.")
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True, help_text="Empty: no prices.")

    class Meta:
        indexes = [models.Index(fields=["job", "answered_at"])]


class Answer(models.Model):
    """An exchange's answer for one text, which several descriptions may share."""

    exchange = models.ForeignKey(Exchange, models.CASCADE, related_name="answers")
    collection = models.ForeignKey(Collection, models.CASCADE, related_name="+")
    recipe = models.CharField(
        max_length=300, help_text="Attempt number, model, prompt, temperature and seed as one key."
    )
    digest = models.BinaryField(max_length=32, help_text="SHA-256 of the text.")
    text = models.TextField(help_text="The description.")
    place = models.PositiveSmallIntegerField(help_text="The id it had in the request.")
    caption = models.TextField(blank=True)
    error = models.TextField(blank=True, help_text="Why there is no caption.")
    settled = models.BooleanField(
        default=False, help_text="Whether nothing more is asked: a caption, or the last refusal."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "recipe", "digest"], condition=Q(settled=True), name="one_settled_answer_a_text"
            ),
            models.CheckConstraint(condition=Q(caption="") | Q(settled=True), name="answer_with_caption_is_settled"),
        ]
        indexes = [models.Index(fields=["collection", "recipe", "digest"])]


CHECKS = ("names", "similarity", "kept", "persons", "gender", "roles", "words")
"""What an attempt's text has to pass, each `<check>_passed` of it."""


class Attempt(models.Model):
    """One try at a description's caption, with everything that made it and what the checks said of it."""

    description = models.ForeignKey(Description, models.CASCADE, related_name="attempts", db_index=False)
    number = models.PositiveSmallIntegerField(help_text="1 is the first, at temperature 0.")
    text = models.TextField(blank=True)
    error = models.TextField(blank=True, help_text="Why there is no text.")

    rewriter = models.CharField(
        max_length=20, help_text="openai, rules, as they are, import, elsewhere, or person for an edit."
    )
    model = models.CharField(max_length=200, blank=True)
    prompt_version = models.CharField(max_length=40, blank=True)
    temperature = models.FloatField(null=True, blank=True)
    seed = models.BigIntegerField(null=True, blank=True)
    answer = models.ForeignKey(
        Answer,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="attempts",
        help_text="Where an LLM made it: the exchange, with the model that served it, its tokens and their cost.",
    )

    encoder = models.CharField(max_length=200, blank=True)
    similarity = models.FloatField(null=True, blank=True, help_text="Cosine, caption to description.")
    tagger = models.CharField(max_length=200, blank=True)
    name_score = models.FloatField(default=0.0, help_text="The highest score of a person's name found.")
    names = models.JSONField(default=list, help_text="The names found, by the tagger or by the corpus's own cast.")
    kept_ratio = models.FloatField(
        null=True, blank=True, help_text="Words beside the names that were kept, as a share. Empty: not compared."
    )
    persons_before = models.PositiveSmallIntegerField(null=True, blank=True)
    persons_after = models.PositiveSmallIntegerField(null=True, blank=True)
    name_places = models.JSONField(default=list, help_text="Places of the description's words that name persons.")
    replacements = models.JSONField(default=list, help_text='The words in the names\' place: ["two", "women"].')
    words_replaced = models.PositiveSmallIntegerField(null=True, blank=True)
    similarity_passed = models.BooleanField()
    names_passed = models.BooleanField()
    kept_passed = models.BooleanField(default=True)
    persons_passed = models.BooleanField(default=True)
    gender_passed = models.BooleanField(default=True, db_default=True)
    roles_passed = models.BooleanField(default=True, db_default=True)
    words_passed = models.BooleanField(default=True, db_default=True)
    swaps = models.JSONField(
        default=list,
        db_default=Value([], models.JSONField()),
        help_text='What stands in another\'s place: [{"check": "words", "before": "beer", "after": "wine"}].',
    )
    doubted_names = models.JSONField(
        default=list,
        db_default=Value([], models.JSONField()),
        help_text='Names above the threshold that may be none: [{"text": "MRI", "score": 0.9, "reasons": ["letters"], '
        '"discarded": false}].',
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["description", "number"], name="one_attempt_a_number"),
        ]

    @property
    def passed(self) -> bool:
        return all(getattr(self, f"{check}_passed") for check in CHECKS)

    @property
    def language_unknown(self) -> bool:
        """Whether rules refused, or a check couldn't be made, since they don't know the description's language."""
        if not self.text:
            return self.rewriter == "rules"
        unmeasured = not self.similarity_passed and self.similarity is None
        return unmeasured or not (self.names_passed or self.names or self.name_score)


class Caption(models.Model):
    """A description's imprecise form. Only an accepted one makes its moment a candidate, or a query."""

    class Status(models.TextChoices):
        ACCEPTED = "accepted", gettext_lazy("accepted")
        REVIEW = "review", gettext_lazy("waits for review")
        REFUSED = "refused", gettext_lazy("refused")

    description = models.OneToOneField(Description, models.CASCADE, related_name="caption")
    attempt = models.ForeignKey(Attempt, models.PROTECT, related_name="+")
    text = models.TextField(blank=True)
    normalised = models.TextField(help_text="The text after rule 3: captions are equal when these are.")
    status = models.CharField(max_length=8, choices=Status.choices)
    decided_by = models.ForeignKey(Membership, models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)
    asked_again_at = models.DateTimeField(
        null=True, blank=True, help_text="A person asked the rewriter again then; empty once the answer is there."
    )
    in_pool = models.BooleanField(
        default=False, db_default=False, help_text="Whether the candidates were last fetched with it in the pool."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(status__in=["accepted", "review", "refused"]), name="caption_status"),
            models.CheckConstraint(condition=~Q(status="accepted", text=""), name="accepted_caption_has_text"),
        ]
        indexes = [
            models.Index(fields=["status"]),
            # Few: what came into the pool, or went out of it, since candidates were fetched.
            models.Index(
                fields=["description"], name="caption_new_to_pool", condition=Q(status="accepted", in_pool=False)
            ),
            models.Index(
                fields=["description"], name="caption_gone_from_pool", condition=Q(in_pool=True) & ~Q(status="accepted")
            ),
        ]

    def __str__(self) -> str:
        return self.text


class Decision(models.Model):
    """A person's decision about a caption; kept when it is taken back."""

    class Kind(models.TextChoices):
        ACCEPTED = "accepted", gettext_lazy("accepted")
        EDITED = "edited", gettext_lazy("edited and accepted")
        REFUSED = "refused", gettext_lazy("refused")

    caption = models.ForeignKey(Caption, models.CASCADE, related_name="decisions")
    member = models.ForeignKey(Membership, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    attempt = models.ForeignKey(Attempt, models.PROTECT, related_name="+", help_text="What was decided about.")
    before = models.ForeignKey(Attempt, models.PROTECT, related_name="+", help_text="The caption's attempt until then.")
    reason = models.TextField(blank=True)
    bulk = models.UUIDField(null=True, blank=True, help_text="The same for all that were decided by one click.")
    made_at = models.DateTimeField(auto_now_add=True)
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["accepted", "edited", "refused"]), name="decision_kind"),
            models.UniqueConstraint(
                fields=["caption"], condition=Q(taken_back_at=None), name="one_standing_decision_a_caption"
            ),
        ]
        indexes = [models.Index(fields=["member", "-made_at"])]
