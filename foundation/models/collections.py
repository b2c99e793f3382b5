"""Collections and memberships."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from foundation.models.accounts import Account
from foundation.models.collection_settings import (
    HIGHEST_GRADE,
    STEPS_TO_100,
    CaptionSettings,
    ConsensusSettings,
    JudgingSettings,
    MaterialSettings,
    PaySettings,
    PoolSettings,
)


class Purpose(models.TextChoices):
    """What a collection's judgments are for. Those of a study of another collection never count in that one."""

    MAIN = "main", gettext_lazy("collection")
    PILOT = "pilot", gettext_lazy("pilot")
    DEPTH = "depth", gettext_lazy("depth study")
    GOLD = "gold", gettext_lazy("Gold")


class Collection(
    MaterialSettings, CaptionSettings, PoolSettings, ConsensusSettings, JudgingSettings, PaySettings, models.Model
):
    """A test collection that one team builds. Its settings default to the paper's values.

    A study (`study_of`) has queries, pairs, judgments and people of its own, and its collection's moments and clips.
    One that holds gold of exams is archived, and nobody's.
    """

    name = models.CharField(
        max_length=60,
        unique=True,
        validators=[RegexValidator(r"^[a-z0-9][a-z0-9-]*\Z", "lower-case letters, digits and hyphens")],
    )
    title = models.CharField(max_length=200)
    has_clips = models.BooleanField(default=True, help_text="Whether its moments have clips to watch.")
    marks_content = models.BooleanField(
        default=False, db_default=False, help_text="Whether some video has kinds of content or a minimum age."
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
                condition=Q(top_grade__gte=1, top_grade__lte=4, grade_step=1)
                | Q(top_grade=HIGHEST_GRADE, grade_step__in=STEPS_TO_100),
                name="collection_scale",
            ),
            models.CheckConstraint(
                condition=Q(first_round_people__gte=1, first_round_people__lte=9) & Q(second_round_people__lte=9),
                name="collection_consensus_rule",
            ),
            models.CheckConstraint(
                condition=Q(purpose="main", study_of__isnull=True)
                | Q(purpose__in=["pilot", "depth", "gold"], study_of__isnull=False),
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

        APPLICANT = "applicant", gettext_lazy("in training")
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
    consent_confirmed = models.PositiveIntegerField(
        default=0, db_default=0, help_text="The consent text's version that holds for this person; 0 for none."
    )
    consent_withdrawn_at = models.DateTimeField(
        null=True, blank=True, help_text="Since when their consent is withdrawn; empty: it isn't."
    )
    pay_per_hour = models.DecimalField(
        max_digits=8, decimal_places=2, null=True, blank=True, help_text="Empty: the collection's."
    )
    avoids = ArrayField(
        models.CharField(max_length=40),
        default=list,
        blank=True,
        db_default=[],
        help_text="Kinds of content that this person is not given.",
    )
    age = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Years that this person is old at least, by their own word; 0: not said."
    )
    repeat_waits = models.BooleanField(
        default=False, help_text="Whether a hidden repeat is at hand: what comes next is then looked up the longer way."
    )
    recruited = models.BooleanField(
        default=False, db_default=False, help_text="Sent by a platform: works in sessions, which a recruitment ends."
    )
    has_led = models.BooleanField(
        default=False, help_text="Has seen captions and grades as owner or lead, so never judges here again."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "account"], name="one_membership_an_account"),
            models.UniqueConstraint(fields=["collection", "worker"], name="one_member_a_worker_id"),
            models.CheckConstraint(
                condition=Q(status__in=["applicant", "admitted", "paused", "declined", "barred"]),
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
    def old_enough(self) -> bool:
        """Whether the collection asks for no age, or this person said to be as old."""
        return self.age >= self.collection.minimum_age

    @property
    def agrees(self) -> bool:
        """Whether the newest consent text was confirmed and not withdrawn since, or there is none to confirm."""
        return self.consent_withdrawn_at is None and self.consent_confirmed >= self.collection.consent_version

    @property
    def may_sit_down(self) -> bool:
        """Whether nothing is to be confirmed before the next sitting."""
        return self.agrees and self.knows_guideline

    @property
    def leads(self) -> bool:
        """Whether this member sees the whole collection and decides in it."""
        return self.role in (self.Role.OWNER, self.Role.LEAD)
