"""What django-allauth asks of the site about a login by an outside server, and our page where one fails."""

import logging
from typing import Any

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.base.constants import AuthError
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from requests import RequestException

from foundation.access.client_address import client_address
from foundation.access.error_pages import problem_page
from foundation.accounts.outside_logins import account_for, link_login
from foundation.models import Account
from foundation.refused import Refused

log = logging.getLogger("qreels.logins")


class OutsideLogins(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Decides whose a login is, before allauth goes on with it."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        link = sociallogin.account
        sociallogin.token = None  # nobody uses it any more
        address = next((email.email for email in sociallogin.email_addresses if email.verified is True), "")
        try:
            if sociallogin.state.get("process") == "connect":
                raise ImmediateHttpResponse(_linked(request, sociallogin))
            if not sociallogin.is_existing:
                name = sociallogin.user.username
                sociallogin.user = account_for(link=link, address=address, wanted_name=name)
        except Refused as refusal:
            log.warning("outside login refused, from %s", client_address(request))
            raise ImmediateHttpResponse(failed(request, str(refusal), status=403)) from refusal
        if not sociallogin.user.is_active:
            raise ImmediateHttpResponse(failed(request, _("This account is disabled."), status=403))

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: Any = None, exception: Any = None, extra_context: Any = None
    ) -> None:
        log.warning("outside login failed, from %s: %s", client_address(request), _reason(error, exception))
        if error == AuthError.CANCELLED:
            raise ImmediateHttpResponse(failed(request, _("The login was cancelled there."), status=403))
        raise ImmediateHttpResponse(unbelievable(request, exception))

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return False  # account_for has decided

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """Send nothing: our services do."""


def _reason(error: object, exception: object) -> str:
    # Answers of a server may have codes in them: of what others raise only the kind is written down.
    text = str(exception)
    return text if text.startswith("the ") else type(exception).__name__ if exception else str(error)


def _linked(request: HttpRequest, sociallogin: SocialLogin) -> HttpResponse:
    """Link the login to who asked for it on the page Account, in this very browser."""
    account = Account.objects.filter(pk=request.user.pk or 0, is_active=True).first()
    if account is None or sociallogin.state.get("account") != account.pk:
        raise Refused(_("You were logged out meanwhile. Log in and link it once more on the page Account."))
    link_login(account=account, link=sociallogin.account)
    messages.info(request, _("%(server)s is linked: you can log in with it.") % {"server": settings.OIDC_NAME})
    return redirect(f"{reverse('account')}#outside")


def failed(request: HttpRequest, text: str, *, status: int) -> HttpResponse:
    """The page of a login by the outside server that came to nothing."""
    return problem_page(request, status, _("No login by %(server)s") % {"server": settings.OIDC_NAME}, text)


def unbelievable(request: HttpRequest, fault: object) -> HttpResponse:
    """The page for a server that can't be reached, or whose answer can't be believed."""
    if isinstance(fault, RequestException):
        text = _("%(server)s can't be reached at the moment. Try again later, or log in with your password.")
        return failed(request, text % {"server": settings.OIDC_NAME}, status=503)
    text = _("What came back from %(server)s doesn't fit this login, so nobody was logged in. Begin once more.")
    return failed(request, text % {"server": settings.OIDC_NAME}, status=400)
