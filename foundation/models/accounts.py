"""Accounts, their API tokens and one-time links."""

from datetime import date, timedelta
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy


class Account(AbstractUser):
    """Who logs in. Judgments never point here: they know a `Membership`, which outlives the account."""

    may_create_collections = models.BooleanField(
        default=False, help_text="Whether this person may begin collections; staff and superusers always may."
    )

    time_zone = models.CharField(
        max_length=64, blank=True, default="", db_default="", help_text="In which pages show times; empty: UTC."
    )

    language = models.CharField(
        max_length=16, blank=True, default="", db_default="", help_text="In which pages speak; empty: the browser's."
    )

    @property
    def creates_collections(self) -> bool:
        return self.may_create_collections or self.is_staff or self.is_superuser

    @property
    def owns_site(self) -> bool:
        """Whether this person runs the site: makes accounts, disables them, and lets them create collections."""
        return self.is_superuser and self.is_active

    @property
    def zone(self) -> ZoneInfo | None:
        """The time zone in which pages show times; None for UTC."""
        return ZoneInfo(self.time_zone) if self.time_zone else None


def read_alone() -> list[str]:
    return [ApiToken.Scope.READ]


class ApiToken(models.Model):
    """A token with which a program does what its account may, as far as its scopes go. Only its digest is stored."""

    class Scope(models.TextChoices):
        """What a token is good for. Each is one kind of work; none contains another."""

        READ = "read", gettext_lazy("read: whatever its owner may see")
        JUDGE = "judge", gettext_lazy("judge: in the owner's own places, blind as on the page")
        PREPARE = "prepare", gettext_lazy("prepare: videos, descriptions, captions, queries, candidates, opening, jobs")
        REVIEW = "review", gettext_lazy("review: captions, batches, discarded pairs, flags")
        RELEASE = "release", gettext_lazy("release: releases, publications, runs")
        ADMIN = "admin", gettext_lazy("admin: collections, members, invitations, people")

    account = models.ForeignKey(Account, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100, help_text="For its owner to tell it from others.")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, in hexadecimal.")
    made_at = models.DateTimeField(auto_now_add=True)
    last_used = models.DateField(null=True, blank=True, help_text="The day (UTC); empty: never.")
    revoked_at = models.DateTimeField(null=True, blank=True)
    scopes = ArrayField(models.CharField(max_length=8, choices=Scope.choices), default=read_alone, db_default=["read"])
    collection = models.ForeignKey(
        "foundation.Collection",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        help_text="The only one it is good for; empty: all of its account's.",
    )
    expires_at = models.DateTimeField(null=True, blank=True, help_text="Empty: it doesn't expire.")

    def __str__(self) -> str:
        return self.name

    @property
    def expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @property
    def last_day(self) -> date | None:
        """The last day (UTC) on which it works."""
        return None if self.expires_at is None else (self.expires_at - timedelta(microseconds=1)).date()

    @property
    def scope_names(self) -> list[str]:
        """Its scopes in the order of `Scope`."""
        return [scope for scope in self.Scope.values if scope in self.scopes]


class OneTimeLink(models.Model):
    """A link that works once: by it a site gets its owner, or an account a new password.

    Only its token's digest is stored, and the row goes when the link is used or void.
    """

    class Purpose(models.TextChoices):
        OWNER = "owner", "the owner of a site that has none"
        PASSWORD = "password", "a new password"

    purpose = models.CharField(max_length=8, choices=Purpose.choices)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, in hexadecimal.")
    account = models.ForeignKey(Account, models.CASCADE, null=True, related_name="+", help_text="Whose password.")
    made_by = models.ForeignKey(Account, models.CASCADE, null=True, related_name="+")
    within = models.ForeignKey(
        "foundation.Collection",
        models.CASCADE,
        null=True,
        related_name="+",
        help_text="The only collection by which the maker's rights count; empty: all of theirs.",
    )
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(purpose="owner", account=None, made_by=None, expires_at=None)
                | Q(purpose="password", account__isnull=False, made_by__isnull=False, expires_at__isnull=False),
                name="one_time_link_of_a_purpose",
            ),
            # The newest is the only one that works.
            models.UniqueConstraint(fields=["purpose"], condition=Q(purpose="owner"), name="one_link_for_the_owner"),
            models.UniqueConstraint(fields=["account"], name="one_password_link_an_account"),
        ]
