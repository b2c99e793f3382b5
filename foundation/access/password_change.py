"""End an account's API tokens, logins and password links when its password changes."""

from typing import Any

from foundation.access.api_tokens import revoke_all_tokens
from foundation.models import Account, OneTimeLink, Session


class EndsTokens:
    """One of AUTH_PASSWORD_VALIDATORS, which Django calls whenever a password is set."""

    def validate(self, password: str, user: Any = None) -> None:
        """Accept any password: the other validators check it."""

    def get_help_text(self) -> str:
        return ""

    def password_changed(self, password: str, user: Any = None) -> None:
        if isinstance(user, Account) and user.pk is not None:
            revoke_all_tokens(account=user)
            # They wouldn't work any longer, by the hash they hold: gone, nobody takes them for open ones.
            Session.objects.filter(account=user).delete()
            OneTimeLink.objects.filter(account=user).delete()
