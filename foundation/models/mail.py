"""What people are told by mail: single notices, the letters they are sent in, and who wants none of a kind."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from foundation.models.accounts import Account
from foundation.models.collections import Collection
from foundation.models.jobs import Queued


class MailRefusal(models.Model):
    """A kind of mail that somebody doesn't want; pages show the same all the same."""

    account = models.ForeignKey(Account, models.CASCADE, related_name="mail_refusals")
    kind = models.CharField(max_length=20, help_text="A name in foundation/mail/kinds.py.")
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "kind"], name="one_mail_refusal_a_kind")]


class Letter(Queued):
    """One mail to one person, with every notice that waited for them. A worker sends it, and tries again until the
    mail server has taken it."""

    TASK = "foundation.tasks.send_letter"

    account = models.ForeignKey(Account, models.CASCADE, related_name="letters")
    urgent = models.BooleanField(default=False, help_text="Of a kind that doesn't wait for the next hour.")
    alone = models.BooleanField(
        default=False, db_default=False, help_text="With one notice, at once, beside other letters: about an account."
    )
    made_at = models.DateTimeField(default=timezone.now)
    tries = models.PositiveIntegerField(default=0, help_text="How often the mail server didn't take it.")
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When the mail server took it.")
    ended_at = models.DateTimeField(null=True, blank=True, help_text="When it was sent, or no longer tried.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["account", "urgent"],
                condition=Q(ended_at=None, alone=False),
                name="one_letter_under_way_a_person",
            ),
            models.CheckConstraint(condition=Q(sent_at=None) | Q(ended_at__isnull=False), name="letter_sent_has_ended"),
        ]
        indexes = [models.Index(fields=["account", "urgent", "-ended_at"], name="letter_newest_of_account")]

    def __str__(self) -> str:
        return f"letter {self.pk}"

    @classmethod
    def to_do(cls) -> models.QuerySet[Letter]:
        return cls.objects.filter(ended_at=None)

    @property
    def finished(self) -> bool:
        return self.ended_at is not None

    def end(self, problem: str = "") -> None:
        """Mark it as sent, or as given up for the reason."""
        self.ended_at, self.problem = timezone.now(), problem
        self.sent_at = None if problem else self.ended_at
        Letter.objects.filter(pk=self.pk, ended_at=None).update(
            ended_at=self.ended_at, sent_at=self.sent_at, problem=problem
        )


class MailItem(models.Model):
    """A notice that waits for a letter, or is in one. What it says is written when it is sent, in the person's
    language; here is only what it is about."""

    account = models.ForeignKey(Account, models.CASCADE, related_name="mail_items")
    collection = models.ForeignKey(Collection, models.CASCADE, null=True, blank=True, related_name="+")
    event = models.CharField(max_length=40, help_text="What happened, as a room has registered it.")
    urgent = models.BooleanField(default=False)
    facts = models.JSONField(default=dict, help_text="Numbers of the rows that it is about, or names of what changed.")
    made_at = models.DateTimeField(default=timezone.now)
    held = models.BooleanField(
        default=False,
        db_default=False,
        help_text="It waited when the site was restored from a backup, and goes when an owner says so.",
    )
    letter = models.ForeignKey(Letter, models.CASCADE, null=True, blank=True, related_name="items")

    class Meta:
        indexes = [
            models.Index(fields=["account", "urgent"], condition=Q(letter=None), name="mail_item_that_waits"),
        ]

    def __str__(self) -> str:
        return self.event
