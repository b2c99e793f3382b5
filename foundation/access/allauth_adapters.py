"""What django-allauth asks of a site: how a login goes on, and how secrets of second factors are stored."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import user_username
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from foundation.access.fresh_login import note_login
from foundation.access.relying_party import relying_party
from foundation.infra.sealed import seal, unseal
from foundation.models import Account

HALF_LOGIN = "half_login"
"""In the session of who has yet to prove a second factor: what a changed password makes invalid."""


class Accounts(DefaultAccountAdapter):  # type: ignore[misc]
    """Logins by the second factor's stage alone, without allauth's messages, mails and pages."""

    def get_login_stages(self) -> list[str]:
        return [] if settings.TWO_FACTORS == "off" else ["allauth.mfa.stages.AuthenticateStage"]

    def pre_login(self, request: HttpRequest, user: Account, **kwargs: Any) -> HttpResponse | None:
        if not user.is_active:
            return redirect("login")
        request.session[HALF_LOGIN] = user.get_session_auth_hash()
        return None

    def login(self, request: HttpRequest, user: Account) -> None:
        request.session.pop(HALF_LOGIN, None)
        super().login(request, user)
        note_login(request)

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Say nothing: our pages do."""

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """Send nothing: our services do."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False


class SecondFactors(DefaultMFAAdapter):  # type: ignore[misc]
    """Secrets are sealed with the site's secret key; apps and passkeys show the account's name."""

    def encrypt(self, text: str) -> str:
        return seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text)

    def get_totp_label(self, user: Account) -> str:
        return str(user_username(user))

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return {"id": relying_party(self.request).id, "name": "Qreels"}

    def get_public_key_credential_user_entity(self, user: Account) -> dict[str, Any]:
        return {"id": str(user.pk).encode(), "name": user.username, "display_name": user.username}
