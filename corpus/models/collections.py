"""Collections, their settings and memberships."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from corpus.models.accounts import Account


class Kind(models.TextChoices):
    """What a description is about: the video, the subtitles, or both."""

    VIDEO = "v", gettext_lazy("video")
    SUBTITLE = "t", gettext_lazy("subtitle")
    BOTH = "vt", gettext_lazy("video and subtitle")


def default_query_kinds() -> list[str]:
    return [Kind.VIDEO]


def default_pool_kinds() -> list[str]:
    return list(Kind.values)


class CaptionReviewPolicy(models.TextChoices):
    """Which rewritten captions a person reviews before they count (rule 2). Batches have another policy."""

    REPROCESSED = "reprocessed", gettext_lazy("every caption that was rewritten again")
    FAILING = "failing", gettext_lazy("only what still fails a check")


class RewritingStyle(models.TextChoices):
    """How far a caption may go from its description."""

    FAITHFUL = "faithful", gettext_lazy("faithful: names are replaced, every other word stays")
    DIVERSE = "diverse", gettext_lazy("diverse: as in the paper, varied words for persons and more general groups")


class Rounding(models.TextChoices):
    """How a mean between two grades is rounded."""

    UP = "up", gettext_lazy("up")
    DOWN = "down", gettext_lazy("down")


class Purpose(models.TextChoices):
    """What a collection's judgments are for. Those of a study of another collection never count in that one."""

    MAIN = "main", gettext_lazy("collection")
    PILOT = "pilot", gettext_lazy("pilot")
    DEPTH = "depth", gettext_lazy("depth study")


class Collection(models.Model):
    """A test collection that one team builds. Its settings default to the paper's values.

    A study (`study_of`) has queries, pairs, judgments and people of its own, and its collection's moments and clips.
    """

    name = models.CharField(
        max_length=60,
        unique=True,
        validators=[RegexValidator(r"^[a-z0-9][a-z0-9-]*\Z", "lower-case letters, digits and hyphens")],
    )
    title = models.CharField(max_length=200)
    has_clips = models.BooleanField(default=True, help_text="Whether its moments have clips to watch.")
    guideline = models.TextField(blank=True)
    cast = models.TextField(
        blank=True, help_text='Who occurs in the videos, a line each: "Name, f", "Name, m" or "Name, ?".'
    )
    cast_set_at = models.DateTimeField(null=True, blank=True, help_text="When its cast last became another one.")
    context = models.TextField(blank=True, help_text="What a rewriter should know besides: the shows' names.")

    query_kinds = ArrayField(models.CharField(max_length=2, choices=Kind.choices), default=default_query_kinds)
    pool_kinds = ArrayField(models.CharField(max_length=2, choices=Kind.choices), default=default_pool_kinds)
    end_slack = models.FloatField(
        default=1.0, help_text="Seconds that a moment may end after its video's stated duration."
    )
    rewriting_style = models.CharField(
        max_length=8, choices=RewritingStyle.choices, default=RewritingStyle.FAITHFUL, db_default="faithful"
    )
    similarity_threshold = models.FloatField(
        null=True, blank=True, help_text="Empty: the one calibrated for the encoder and the style."
    )
    name_threshold = models.FloatField(default=0.8)
    kept_threshold = models.FloatField(
        null=True,
        blank=True,
        help_text="Empty: the style's. The share of the words beside the names that a caption has to keep.",
    )
    max_attempts = models.PositiveSmallIntegerField(
        default=2,
        validators=[MinValueValidator(1)],
        help_text="How often a description is rewritten, the first time included, before a person sees it.",
    )
    review_policy = models.CharField(
        max_length=12, choices=CaptionReviewPolicy.choices, default=CaptionReviewPolicy.REPROCESSED
    )
    batch_size = models.PositiveSmallIntegerField(default=20, validators=[MinValueValidator(1)])
    max_batches = models.PositiveSmallIntegerField(default=2, validators=[MinValueValidator(1)])
    extend_threshold = models.FloatField(
        default=2.5,
        help_text="The second batch is recommended when the last five grades average at least this.",
    )
    auto_extend_from = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0), MaxValueValidator(4.0)],
        help_text="A batch whose last five grades average at least this is extended without a review; empty: never.",
    )
    auto_finish_to = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0), MaxValueValidator(4.0)],
        help_text="A batch whose last five grades average at most this is finished without a review; empty: never.",
    )
    seat_minutes = models.FloatField(
        default=30.0,
        validators=[MinValueValidator(0.05)],
        help_text="Minutes of silence after which a seat is free for somebody else.",
    )
    played_fraction = models.FloatField(
        default=0.8,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text="The part of a clip that has to be seen before a grade is accepted.",
    )

    top_grade = models.PositiveSmallIntegerField(default=4, help_text="Grades go from 0 to this, at most 4.")
    first_round_people = models.PositiveSmallIntegerField(
        default=2, help_text="Annotators who judge each pair independently."
    )
    second_round_people = models.PositiveSmallIntegerField(
        default=2, help_text="Others who judge a pair when the first differ; 0 discards it at once."
    )
    largest_difference = models.PositiveSmallIntegerField(
        default=1, help_text="Grades agree when they differ by at most this."
    )
    rounding = models.CharField(max_length=4, choices=Rounding.choices, default=Rounding.UP)

    idle_seconds = models.PositiveIntegerField(
        default=60, help_text="Longest time that counts as work between two judgments."
    )
    break_minutes = models.PositiveIntegerField(
        default=50, help_text="Minutes of judging after which the page suggests a break; 0 never does."
    )
    show_agreement = models.BooleanField(
        default=False, help_text="Whether annotators see how often they agree with their partners."
    )
    needs_exam = models.BooleanField(
        default=True, help_text="Whether who is invited trains and sits the exam before judging."
    )
    span_agreement = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text="IoU from which on starts and ends that annotators marked agree; empty: they mark none.",
    )
    offers_tryout = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether anybody may try judging on six of its decided pairs, without an account.",
    )
    repeat_share = models.FloatField(
        default=0.0,
        validators=[MinValueValidator(0.0), MaxValueValidator(0.1)],
        help_text="The part of each person's work that is a hidden repeat, 0 to 0.1; 0 gives none.",
    )
    repeat_days = models.PositiveSmallIntegerField(
        default=7, help_text="Days after which a pair may come again as a hidden repeat."
    )
    guideline_version = models.PositiveIntegerField(
        default=0, help_text="The published version that annotators have to confirm; 0 when there is none."
    )
    pay_per_hour = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    currency = models.CharField(
        max_length=3,
        default="USD",
        validators=[RegexValidator(r"^[A-Z]{3}\Z", "three capital letters, as in ISO 4217")],
    )
    pay_training = models.BooleanField(
        default=False, db_default=False, help_text="Whether work in practice and exam is paid like judging."
    )
    purpose = models.CharField(max_length=5, choices=Purpose.choices, default=Purpose.MAIN)
    study_of = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="studies",
        help_text="The collection whose pilot or depth study this is; empty for a collection.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(
        null=True, blank=True, help_text="Since when it is only read: nothing is judged or decided there."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(batch_size__gte=1, max_batches__gte=1), name="collection_depth"),
            models.CheckConstraint(
                condition=Q(played_fraction__gte=0, played_fraction__lte=1), name="collection_played_fraction"
            ),
            models.CheckConstraint(
                condition=Q(top_grade__gte=1, top_grade__lte=4)
                & Q(first_round_people__gte=1, first_round_people__lte=9)
                & Q(second_round_people__lte=9),
                name="collection_consensus_rule",
            ),
            models.CheckConstraint(
                condition=Q(purpose="main", study_of__isnull=True)
                | Q(purpose__in=["pilot", "depth"], study_of__isnull=False),
                name="study_has_its_collection",
            ),
            models.CheckConstraint(
                condition=Q(auto_finish_to__isnull=True)
                | Q(auto_extend_from__isnull=True)
                | Q(auto_finish_to__lt=F("auto_extend_from")),
                name="collection_review_policy",
                violation_error_message="auto_finish_to has to be below auto_extend_from",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_study(self) -> bool:
        """Whether nothing of it counts: a pilot or a depth study of another collection."""
        return self.study_of_id is not None

    @property
    def depth(self) -> int:
        """Candidates a query has at most: batch size times batches (the paper: 40)."""
        return self.batch_size * self.max_batches


class Membership(models.Model):
    """A person's place in a collection. Its worker id is what judgments and releases show."""

    class Role(models.TextChoices):
        OWNER = "owner", gettext_lazy("owner")
        LEAD = "lead", gettext_lazy("lead annotator")
        ANNOTATOR = "annotator", gettext_lazy("annotator")

    class Status(models.TextChoices):
        """An annotator's standing: whether they are given work."""

        CANDIDATE = "candidate", gettext_lazy("in training")
        ADMITTED = "admitted", gettext_lazy("admitted")
        PAUSED = "paused", gettext_lazy("paused")
        DECLINED = "declined", gettext_lazy("not admitted")
        BARRED = "barred", gettext_lazy("barred")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="memberships")
    account = models.ForeignKey(Account, models.SET_NULL, null=True, blank=True, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    worker = models.CharField(max_length=40, help_text="The pseudonym in exports.")
    joined_at = models.DateTimeField(auto_now_add=True)
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.ADMITTED)
    languages = ArrayField(
        models.CharField(max_length=35), default=list, blank=True, help_text="Those read; empty: all (BCP 47)."
    )
    guideline_confirmed = models.PositiveIntegerField(
        default=0, help_text="The newest guideline version that this person confirmed; 0 for none."
    )
    pay_per_hour = models.DecimalField(
        max_digits=8, decimal_places=2, null=True, blank=True, help_text="Empty: the collection's."
    )
    repeat_waits = models.BooleanField(
        default=False, help_text="Whether a hidden repeat is at hand: what comes next is then looked up the longer way."
    )
    has_led = models.BooleanField(
        default=False, help_text="Has seen captions and grades as owner or lead, so never judges here again."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "account"], name="one_membership_an_account"),
            models.UniqueConstraint(fields=["collection", "worker"], name="one_member_a_worker_id"),
            models.CheckConstraint(
                condition=Q(status__in=["candidate", "admitted", "paused", "declined", "barred"]),
                name="membership_status",
            ),
        ]

    def __str__(self) -> str:
        return self.worker

    @property
    def knows_guideline(self) -> bool:
        """Whether the newest guideline was confirmed, or there is none to confirm."""
        return self.guideline_confirmed >= self.collection.guideline_version

    @property
    def leads(self) -> bool:
        """Whether this member sees the whole collection and decides in it."""
        return self.role in (self.Role.OWNER, self.Role.LEAD)
