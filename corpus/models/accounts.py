"""Accounts and API tokens."""

from django.contrib.auth.models import AbstractUser
from django.db import models


class Account(AbstractUser):
    """Who logs in. Judgments never point here: they know a `Membership`, which outlives the account."""

    may_create_collections = models.BooleanField(
        default=False, help_text="Whether this person may begin collections; staff and superusers always may."
    )

    @property
    def creates_collections(self) -> bool:
        return self.may_create_collections or self.is_staff or self.is_superuser


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
