"""Invitations and the exam: items, applicants, grades (never counted)."""

import uuid
from datetime import date, timedelta

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from corpus.models import Description, Moment
from foundation.models import HIGHEST_GRADE, Collection, Membership


class Invitation(models.Model):
    """An invitation link to become an annotator. Only its token's digest is stored."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="invitations")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, in hexadecimal.")
    label = models.CharField(max_length=100, blank=True, help_text="For the lead to tell it from others.")
    languages = ArrayField(models.CharField(max_length=35), default=list, blank=True, help_text="BCP 47.")
    places = models.PositiveIntegerField(null=True, blank=True, help_text="How many may join by it; empty: any number.")
    expires_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    made_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(places__isnull=True) | Q(places__gte=1), name="invitation_places"),
        ]

    @property
    def last_day(self) -> date | None:
        """The last day (UTC) on which the link holds."""
        return None if self.expires_at is None else (self.expires_at - timedelta(microseconds=1)).date()


class InvitationUse(models.Model):
    """A used place of an invitation. It outlives the account that used it."""

    invitation = models.ForeignKey(Invitation, models.CASCADE, related_name="uses")
    annotator = models.ForeignKey(Membership, models.SET_NULL, null=True, related_name="+")
    used_at = models.DateTimeField(auto_now_add=True)


class Exam(models.Model):
    """Queries times candidates, the same for everybody. Its truth is frozen when the first cohort is closed."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="exams")
    number = models.PositiveSmallIntegerField(help_text="The newest is the one that applicants sit.")
    seed = models.BigIntegerField()
    drawn_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    frozen_at = models.DateTimeField(null=True, blank=True, help_text="When the first cohort was closed.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "number"], name="one_exam_a_number"),
            models.CheckConstraint(
                condition=Q(frozen_at__isnull=True) | Q(opened_at__isnull=False), name="exam_opened_before_frozen"
            ),
        ]


class ExamItem(models.Model):
    """A query and a moment of the exam. Applicants see only its random `public_id`."""

    exam = models.ForeignKey(Exam, models.CASCADE, related_name="items")
    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    description = models.ForeignKey(
        Description, models.PROTECT, related_name="+", help_text="The pseudo-training query it comes from."
    )
    query = models.TextField()
    moment = models.ForeignKey(Moment, models.PROTECT, related_name="+")
    rank = models.PositiveSmallIntegerField()
    truth = models.FloatField(null=True, blank=True, help_text="The cohort's median; a half is possible.")
    why = models.TextField(blank=True, help_text="The lead's explanation, shown in the feedback.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["exam", "description", "rank"], name="one_exam_item_a_rank"),
            models.UniqueConstraint(fields=["exam", "description", "moment"], name="one_exam_item_a_moment"),
            models.CheckConstraint(
                condition=Q(truth__isnull=True) | Q(truth__gte=0, truth__lte=HIGHEST_GRADE), name="exam_item_truth"
            ),
        ]


class ExamSitting(models.Model):
    """An applicant's exam: begun, handed in, then compared with the truth."""

    exam = models.ForeignKey(Exam, models.CASCADE, related_name="sittings")
    applicant = models.ForeignKey(Membership, models.PROTECT, related_name="exam_sittings")
    begun_at = models.DateTimeField(auto_now_add=True)
    handed_in_at = models.DateTimeField(null=True, blank=True)
    cohort = models.BooleanField(default=False, help_text="Whether the truth is made of this one's grades too.")
    set_aside_at = models.DateTimeField(
        null=True, blank=True, help_text="When the lead asked for the exam once more; what was answered is kept."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["exam", "applicant"],
                condition=Q(set_aside_at__isnull=True),
                name="one_sitting_an_exam_and_person",
            ),
            models.CheckConstraint(
                condition=Q(cohort=False) | Q(handed_in_at__isnull=False), name="cohort_has_handed_in"
            ),
        ]


class ExamAnswer(models.Model):
    """A grade of an exam item. Turn 1 is the independent one; later turns follow feedback. None is ever deleted."""

    sitting = models.ForeignKey(ExamSitting, models.CASCADE, related_name="answers")
    item = models.ForeignKey(ExamItem, models.CASCADE, related_name="answers")
    turn = models.PositiveSmallIntegerField(default=1)
    grade = models.PositiveSmallIntegerField()
    key = models.UUIDField(help_text="Made by the page: a request sent twice is one answer.")
    played = models.FloatField(null=True, blank=True, help_text="The part of the clip that was seen, 0-1.")
    given_at = models.DateTimeField(auto_now_add=True)
    active_seconds = models.FloatField(
        null=True, blank=True, help_text="Work on it, bounded as a judgment's; empty before this was recorded."
    )
    paid = models.BooleanField(default=False, db_default=False, help_text="Whether that work is paid.")
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["sitting", "item", "turn"],
                condition=Q(taken_back_at__isnull=True),
                name="one_standing_answer_an_item_and_turn",
            ),
            models.UniqueConstraint(fields=["sitting", "key"], name="one_exam_answer_a_key"),
            models.CheckConstraint(condition=Q(grade__lte=HIGHEST_GRADE), name="exam_answer_grade"),
            models.CheckConstraint(condition=Q(turn__gte=1), name="exam_answer_turn"),
        ]
