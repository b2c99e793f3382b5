"""Batches, pairs, seats, judgments and flags. Their states: `annotation/batches/states.md`."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy

from foundation.models import HIGHEST_GRADE, Collection, Membership
from queries.models import Candidate, Query


class Batch(models.Model):
    """A stretch of a query's ranking that is judged together: ranks 1-20 are number 1, 21-40 number 2."""

    class Status(models.TextChoices):
        FIRST_ROUND = "first", gettext_lazy("first round")
        SECOND_ROUND = "second", gettext_lazy("second round")
        DECIDED = "decided", gettext_lazy("waits for review")
        FINISHED = "finished", gettext_lazy("finished")
        EXTENDED = "extended", gettext_lazy("extended")

    # Indexes that begin with these serve the foreign keys, too.
    collection = models.ForeignKey(
        Collection,
        models.PROTECT,
        related_name="batches",
        db_index=False,
        help_text="The query's, here so that work is found fast.",
    )
    query = models.ForeignKey(Query, models.PROTECT, related_name="batches", db_index=False)
    number = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.FIRST_ROUND)
    opened_at = models.DateTimeField(auto_now_add=True)
    begun_at = models.DateTimeField(null=True, blank=True, help_text="When the first seat there was taken.")
    priority = models.SmallIntegerField(default=0, help_text="Higher ones are judged first.")
    postponed_at = models.DateTimeField(null=True, blank=True, help_text="When the lead said later.")
    disputed = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Pairs in dispute when its second round began."
    )

    class Meta:
        verbose_name_plural = "batches"
        constraints = [
            models.UniqueConstraint(fields=["query", "number"], name="one_batch_a_number"),
            models.CheckConstraint(condition=Q(number__gte=1), name="batch_number"),
            models.CheckConstraint(
                condition=Q(status__in=["first", "second", "decided", "finished", "extended"]),
                name="batch_status",
            ),
        ]
        indexes = [
            # Work is looked for in this order: second rounds, then batches that somebody began, then new ones.
            models.Index(
                fields=["collection", "-priority", "id"], condition=Q(status="second"), name="batch_in_second_round"
            ),
            models.Index(
                fields=["collection", "-priority", "id"],
                condition=Q(status="first", begun_at__isnull=False),
                name="batch_begun",
            ),
            models.Index(
                fields=["collection", "-priority", "id"],
                condition=Q(status="first", begun_at__isnull=True),
                name="batch_new",
            ),
            models.Index(
                fields=["collection", "-priority", "id"],
                condition=Q(status="first", begun_at__isnull=True, number__gt=1),
                name="batch_that_follows",
            ),
            models.Index(fields=["collection", "-id"], condition=Q(disputed__gt=0), name="batch_was_disputed"),
            models.Index(fields=["collection", "status"], name="batch_by_status"),
        ]

    def __str__(self) -> str:
        return f"{self.query_id}/{self.number}"

    @property
    def judging(self) -> bool:
        """Whether some pair still needs judgments."""
        return self.status in (self.Status.FIRST_ROUND, self.Status.SECOND_ROUND)


class Pair(models.Model):
    """A candidate opened for judging. Annotators see only its random `public_id`."""

    class Status(models.TextChoices):
        OPEN = "open", gettext_lazy("in the first round")
        DISPUTED = "disputed", gettext_lazy("in the second round")
        CONSENSUS = "consensus", gettext_lazy("graded")
        DISCARDED = "discarded", gettext_lazy("discarded")
        WITHDRAWN = "withdrawn", gettext_lazy("withdrawn by the lead")

    batch = models.ForeignKey(Batch, models.PROTECT, related_name="pairs", db_index=False)
    candidate = models.OneToOneField(Candidate, models.PROTECT, related_name="pair")
    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.OPEN)
    grade = models.PositiveSmallIntegerField(null=True, blank=True)
    version = models.PositiveIntegerField(default=0, help_text="Counts the changes to it and to its judgments.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(status="consensus", grade__gte=0, grade__lte=HIGHEST_GRADE)
                | (~Q(status="consensus") & Q(grade__isnull=True)),
                name="grade_only_with_consensus",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["open", "disputed", "consensus", "discarded", "withdrawn"]),
                name="pair_status",
            ),
        ]
        indexes = [
            models.Index(fields=["batch", "status"]),
            models.Index(fields=["batch"], condition=Q(status="discarded"), name="pair_discarded"),
        ]


class Seat(models.Model):
    """One annotator's place at some pairs of a batch. Live until it ended or `expires_at` has passed; lower ids go
    first."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="seats", db_index=False)
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="seats", db_index=False)
    pairs = ArrayField(models.BigIntegerField(), default=list, help_text="Those for which it holds a place.")
    taken_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "annotator"],
                condition=Q(ended_at__isnull=True),
                name="one_seat_a_batch_and_annotator",
            ),
        ]
        indexes = [
            models.Index(fields=["annotator"], condition=Q(ended_at__isnull=True), name="seat_of_annotator"),
            # They serve the foreign keys, too.
            models.Index(fields=["batch", "annotator"], name="seat_by_batch"),
            models.Index(fields=["annotator", "-id"], name="seat_newest_of_annotator"),
        ]


class Used(models.TextChoices):
    """What annotators may use beside a clip's pictures, where the collection has it."""

    CONTEXT = "context", gettext_lazy("the seconds before and after")
    SOUND = "sound", gettext_lazy("sound")
    SUBTITLES = "subtitles", gettext_lazy("subtitles")


class Judgment(models.Model):
    """One annotator's grade of one pair. Only a counted one decides anything; none is ever deleted."""

    class Uncounted(models.TextChoices):
        TAKEN_BACK = "taken-back", gettext_lazy("taken back")
        LATE = "late", gettext_lazy("came too late")
        SECOND = "second", gettext_lazy("graded before by the same person")
        SET_ASIDE = "set-aside", gettext_lazy("set aside by the lead")

    TOLD = Q(uncounted_because__in=["", Uncounted.LATE, Uncounted.SET_ASIDE])
    """Those that a person is told to have judged, by the day (UTC) they were decided: late ones too, and what the lead
    has set aside, not what was taken back."""

    pair = models.ForeignKey(Pair, models.PROTECT, related_name="judgments")
    # Two indexes begin with it below: another one would be written with every judgment for nothing.
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="judgments", db_index=False)
    grade = models.PositiveSmallIntegerField()
    round = models.PositiveSmallIntegerField()
    counted = models.BooleanField(default=True)
    uncounted_because = models.CharField(max_length=10, choices=Uncounted.choices, blank=True)
    key = models.UUIDField(help_text="Made by the page: a request sent twice is one judgment.")
    played = models.FloatField(null=True, blank=True, help_text="The part of the clip that was seen, 0-1.")
    active_seconds = models.FloatField(
        null=True, blank=True, help_text="Work on it, pauses cut at the collection's idle seconds."
    )
    too_soon = models.BooleanField(default=False, help_text="Graded sooner than the clip could have played.")
    used = ArrayField(
        models.CharField(max_length=9, choices=Used.choices),
        null=True,
        blank=True,
        help_text="What its annotator used beside the picture; null: not known.",
    )
    guideline = models.PositiveIntegerField(default=0, help_text="The guideline version its annotator had confirmed.")
    decided_at = models.DateTimeField(
        default=timezone.now, help_text="By the page's clock; earlier than given_at when the network was away."
    )
    given_at = models.DateTimeField(auto_now_add=True)
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pair", "annotator"],
                condition=Q(counted=True),
                name="one_counted_judgment_a_pair_and_annotator",
            ),
            models.UniqueConstraint(fields=["annotator", "key"], name="one_judgment_a_key"),
            models.CheckConstraint(condition=Q(grade__gte=0, grade__lte=HIGHEST_GRADE), name="judgment_grade"),
            models.CheckConstraint(condition=Q(round__in=[1, 2]), name="judgment_round"),
            models.CheckConstraint(
                condition=Q(active_seconds__isnull=True) | Q(active_seconds__gte=0), name="judgment_active_seconds"
            ),
            models.CheckConstraint(
                condition=Q(counted=True, uncounted_because="") | (Q(counted=False) & ~Q(uncounted_because="")),
                name="uncounted_has_a_reason",
            ),
        ]
        indexes = [models.Index(fields=["annotator", "-given_at"])]


class Flag(models.Model):
    """A problem with a pair reported by an annotator. It holds the pair until the lead has answered."""

    class Kind(models.TextChoices):
        CLIP = "clip", gettext_lazy("clip broken")
        QUERY = "query", gettext_lazy("query unclear")
        OTHER = "other", gettext_lazy("something else")

    class Outcome(models.TextChoices):
        RETURNED = "returned", gettext_lazy("goes back to judging")
        WITHDRAWN = "withdrawn", gettext_lazy("leaves the collection")

    pair = models.ForeignKey(Pair, models.PROTECT, related_name="flags")
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="flags")
    kind = models.CharField(max_length=5, choices=Kind.choices)
    note = models.TextField(blank=True)
    raised_at = models.DateTimeField(default=timezone.now)
    outcome = models.CharField(max_length=9, choices=Outcome.choices, blank=True)
    answer = models.TextField(blank=True, help_text="What the lead says about it, to the annotator.")
    answered_by = models.ForeignKey(Membership, models.PROTECT, null=True, blank=True, related_name="+")
    answered_at = models.DateTimeField(null=True, blank=True)
    read_at = models.DateTimeField(null=True, blank=True, help_text="When the annotator saw the answer.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pair", "annotator"],
                condition=Q(answered_at__isnull=True),
                name="one_open_flag_a_pair_and_person",
            ),
            models.CheckConstraint(condition=Q(kind__in=["clip", "query", "other"]), name="flag_kind"),
            models.CheckConstraint(
                condition=Q(answered_at__isnull=True, outcome="", answered_by__isnull=True)
                | Q(answered_at__isnull=False, outcome__in=["returned", "withdrawn"], answered_by__isnull=False),
                name="flag_answered_as_a_whole",
            ),
        ]
        indexes = [models.Index(fields=["pair"], condition=Q(answered_at__isnull=True), name="open_flag_of_pair")]


class Assignment(models.Model):
    """The lead's rule for a query and an annotator: reserved (only these judge it) or barred."""

    class Rule(models.TextChoices):
        RESERVED = "reserved", gettext_lazy("judged by the reserved only")
        BARRED = "barred", gettext_lazy("never judges it")

    query = models.ForeignKey(Query, models.CASCADE, related_name="assignments")
    annotator = models.ForeignKey(Membership, models.CASCADE, related_name="assignments")
    rule = models.CharField(max_length=8, choices=Rule.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["query", "annotator"], name="one_assignment_a_query_and_annotator"),
            models.CheckConstraint(condition=Q(rule__in=["reserved", "barred"]), name="assignment_rule"),
        ]
