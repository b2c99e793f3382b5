"""Accounts, their API tokens and one-time links."""

from zoneinfo import ZoneInfo

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q


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


class ApiToken(models.Model):
    """A token with which a program reads what its account may see. Only its digest is stored."""

    account = models.ForeignKey(Account, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100, help_text="For its owner to tell it from others.")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, in hexadecimal.")
    made_at = models.DateTimeField(auto_now_add=True)
    last_used = models.DateField(null=True, blank=True, help_text="The day (UTC); empty: never.")
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name


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
