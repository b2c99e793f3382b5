"""Notices and questions."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models.judging import Pair
from foundation.models import Collection, Membership


class Notice(models.Model):
    """A notice from a lead to one annotator or to all; who joins later sees it too, until it is withdrawn."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="notices")
    annotator = models.ForeignKey(
        Membership, models.CASCADE, null=True, blank=True, related_name="notices", help_text="Empty: everybody."
    )
    text = models.TextField()
    made_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="notice_has_a_text")]
        indexes = [
            models.Index(fields=["collection"], condition=Q(withdrawn_at__isnull=True), name="notice_that_stands")
        ]

    def __str__(self) -> str:
        return self.text


class NoticeRead(models.Model):
    """A notice that an annotator has dismissed."""

    notice = models.ForeignKey(Notice, models.CASCADE, related_name="reads")
    annotator = models.ForeignKey(Membership, models.CASCADE, related_name="+")
    read_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["notice", "annotator"], name="one_reading_a_notice_and_person")]


class Question(models.Model):
    """An annotator's question about a pair. Unlike a flag it holds nothing up: the pair is judged meanwhile."""

    pair = models.ForeignKey(Pair, models.PROTECT, related_name="questions")
    annotator = models.ForeignKey(Membership, models.PROTECT, related_name="questions")
    text = models.TextField()
    asked_at = models.DateTimeField(default=timezone.now)
    answer = models.TextField(blank=True, help_text="What the lead says, to the annotator alone.")
    answered_by = models.ForeignKey(Membership, models.PROTECT, null=True, blank=True, related_name="+")
    answered_at = models.DateTimeField(null=True, blank=True)
    read_at = models.DateTimeField(null=True, blank=True, help_text="When the annotator saw the answer.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pair", "annotator"],
                condition=Q(answered_at__isnull=True),
                name="one_open_question_a_pair_and_person",
            ),
            models.CheckConstraint(condition=~Q(text=""), name="question_has_a_text"),
            models.CheckConstraint(
                condition=Q(answered_at__isnull=True, answer="", answered_by__isnull=True)
                | (Q(answered_at__isnull=False, answered_by__isnull=False) & ~Q(answer="")),
                name="question_answered_as_a_whole",
            ),
        ]
        indexes = [models.Index(fields=["pair"], condition=Q(answered_at__isnull=True), name="open_question_of_pair")]

    def __str__(self) -> str:
        return self.text
