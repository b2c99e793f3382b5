"""End an account's API tokens when its password changes. Logins end by themselves, by the hash in each session."""

from typing import Any

from corpus.access.api_tokens import revoke_all_tokens
from corpus.models import Account


class EndsTokens:
    """One of AUTH_PASSWORD_VALIDATORS: Django tells them of every password that is set, wherever that is done."""

    def validate(self, password: str, user: Any = None) -> None:
        """Any password will do here: the others judge it."""

    def get_help_text(self) -> str:
        return ""

    def password_changed(self, password: str, user: Any = None) -> None:
        if isinstance(user, Account) and user.pk is not None:
            revoke_all_tokens(account=user)
