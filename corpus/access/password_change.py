"""Revoke an account's API tokens when its password changes. Sessions end by themselves, by the hash they hold."""

from typing import Any

from corpus.access.api_tokens import revoke_all_tokens
from corpus.models import Account


class EndsTokens:
    """One of AUTH_PASSWORD_VALIDATORS, which Django calls whenever a password is set."""

    def validate(self, password: str, user: Any = None) -> None:
        """Accept any password: the other validators check it."""

    def get_help_text(self) -> str:
        return ""

    def password_changed(self, password: str, user: Any = None) -> None:
        if isinstance(user, Account) and user.pk is not None:
            revoke_all_tokens(account=user)
