"""People from Prolific, MTurk, Toloka and pools: who sent them, their ids there, and their sessions."""

from datetime import date, timedelta
from decimal import Decimal

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_lazy

from foundation.models import Collection, Membership


class Recruitment(models.Model):
    """A way by which a platform sends people: an entry address, when a session is complete, and what it is paid."""

    class Platform(models.TextChoices):
        PROLIFIC = "prolific", "Prolific"
        MTURK = "mturk", "Amazon Mechanical Turk"
        TOLOKA = "toloka", "Toloka"
        SONA = "sona", gettext_lazy("a university's pool (SONA)")
        OTHER = "other", gettext_lazy("another platform")

    class Until(models.TextChoices):
        """What completes a session."""

        JUDGMENTS = "judgments", gettext_lazy("a number of judgments")
        MINUTES = "minutes", gettext_lazy("minutes of work")
        SCREENING = "screening", gettext_lazy("the exam, handed in")

    class PaidBy(models.TextChoices):
        SESSION = "session", gettext_lazy("a complete session")
        JUDGMENT = "judgment", gettext_lazy("a judgment")
        HOUR = "hour", gettext_lazy("an hour, as the platform counts it")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="recruitments")
    name = models.CharField(max_length=100, help_text="For the lead to tell it from others.")
    platform = models.CharField(max_length=8, choices=Platform.choices)
    token = models.CharField(max_length=43, unique=True, help_text="Of the entry address, which all who come have.")
    person_parameter = models.CharField(max_length=40)
    session_parameter = models.CharField(max_length=40, blank=True)
    study_parameter = models.CharField(max_length=40, blank=True)
    signed = models.BooleanField(default=False, help_text="Whether an address needs the platform's signature.")
    known = ArrayField(
        models.CharField(max_length=64),
        null=True,
        blank=True,
        help_text="Digests of the ids that may enter; null: all that the platform sends.",
    )
    until = models.CharField(max_length=9, choices=Until.choices)
    amount = models.PositiveIntegerField(null=True, blank=True, help_text="Judgments or minutes; null: the screening.")
    most_out = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Percent of exam grades that may be out; null: the lead decides."
    )
    code = models.CharField(max_length=100, blank=True, help_text="Of a complete session.")
    screened_code = models.CharField(max_length=100, blank=True, help_text="Of who wasn't admitted.")
    return_address = models.CharField(max_length=500, blank=True, help_text="With {code}, {person}, {session}.")
    people = models.PositiveIntegerField(null=True, blank=True, help_text="How many may come; null: any number.")
    most_sessions = models.PositiveSmallIntegerField(default=1, help_text="Of one person.")
    most_judgments = models.PositiveIntegerField(null=True, blank=True, help_text="Of one person; null: any number.")
    languages = ArrayField(models.CharField(max_length=35), default=list, blank=True, help_text="BCP 47.")
    opens_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    paid_by = models.CharField(max_length=8, choices=PaidBy.choices, default=PaidBy.SESSION)
    rate = models.DecimalField(max_digits=9, decimal_places=4, default=Decimal(0), help_text="Of what it is paid by.")
    reward = models.DecimalField(
        max_digits=8, decimal_places=2, default=Decimal(0), help_text="Paid by the platform for each approved."
    )
    currency = models.CharField(max_length=8, blank=True)
    made_by = models.ForeignKey(Membership, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(until="screening", amount=None) | Q(until__in=["judgments", "minutes"], amount__gte=1),
                name="recruitment_completes",
            ),
            models.CheckConstraint(condition=Q(people=None) | Q(people__gte=1), name="recruitment_people"),
            models.CheckConstraint(condition=Q(most_sessions__gte=1), name="recruitment_sessions"),
            models.CheckConstraint(condition=Q(most_out=None) | Q(most_out__lte=100), name="recruitment_most_out"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def last_day(self) -> date | None:
        """The last day (UTC) on which people can enter."""
        return None if self.expires_at is None else (self.expires_at - timedelta(microseconds=1)).date()

    @property
    def ended(self) -> bool:
        return self.closed_at is not None or (self.expires_at is not None and self.expires_at <= timezone.now())


class Recruit(models.Model):
    """A person whom a platform sent to a collection. Nothing of them is known but the platform's id, which goes when
    they are erased."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="recruits")
    platform = models.CharField(max_length=8, choices=Recruitment.Platform.choices)
    person = models.CharField(max_length=100, blank=True, help_text="The platform's id; empty: it is erased.")
    member = models.OneToOneField(Membership, models.PROTECT, related_name="recruit")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "platform", "person"], condition=~Q(person=""), name="one_recruit_a_platform_s_id"
            ),
        ]


class RecruitSession(models.Model):
    """What a platform counts as one submission of a person: from entering to the code."""

    class Outcome(models.TextChoices):
        COMPLETE = "complete", gettext_lazy("complete")
        SHORT = "short", gettext_lazy("complete: no work was left")
        SCREENED = "screened", gettext_lazy("screened out")
        LEFT = "left", gettext_lazy("not completed")

    recruitment = models.ForeignKey(Recruitment, models.CASCADE, related_name="sessions")
    recruit = models.ForeignKey(Recruit, models.CASCADE, related_name="sessions")
    session = models.CharField(max_length=100, blank=True, help_text="The platform's id of it; empty: none, or erased.")
    study = models.CharField(max_length=100, blank=True, help_text="The platform's id of the study or task.")
    submit_to = models.CharField(max_length=100, blank=True, help_text="MTurk's host that takes the form at the end.")
    entered_at = models.DateTimeField(db_default=Now(), help_text="By the database's clock, as judgments.")
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=8, choices=Outcome.choices, blank=True, help_text="Empty while it goes on.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["recruitment", "session"], condition=~Q(session=""), name="one_recruit_session_an_id"
            ),
            models.UniqueConstraint(
                fields=["recruit"], condition=Q(ended_at=None), name="one_recruit_session_at_a_time"
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None, outcome="") | Q(ended_at__isnull=False) & ~Q(outcome=""),
                name="recruit_session_ended_somehow",
            ),
        ]

    @property
    def minutes(self) -> float | None:
        """From entering to the end, as platforms count; None while it goes on."""
        return None if self.ended_at is None else (self.ended_at - self.entered_at).total_seconds() / 60
