"""Logging in by an outside server (OpenID Connect): the way there and back, and links on the page Account."""

import secrets
import time
from typing import Any

from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from requests import RequestException

from foundation.access.client_address import client_address
from foundation.access.form_input import is_own_address, whole_number
from foundation.access.needs_login import account_of, account_post
from foundation.access.pages import refusal_told
from foundation.access.throttle import Limit, forget, take
from foundation.accounts.account_views import OWN_PASSWORD
from foundation.accounts.forms import WRONG_PASSWORD
from foundation.accounts.outside_adapter import unbelievable
from foundation.accounts.outside_logins import unlink_login
from foundation.accounts.outside_protocol import Callback, CheckedOpenIdConnect

FROM_AN_ADDRESS = Limit("outside", 200, 10)
"""Ways to the server and back from one address, which a whole class may share."""
ASKED, ASKED_SECONDS = "link_asked", 300
"""In the session of who gave the password to link a login: when."""
# What a server that answers nonsense can make the libraries raise.
_NONSENSE = (OAuth2Error, RequestException, KeyError, TypeError, ValueError, AttributeError)


@require_safe
@never_cache
def begin(request: HttpRequest) -> HttpResponse:
    """To the server; back comes `callback`. With `link`, for whoever asked on the page Account to link a login."""
    _refuse_unset()
    following, linking = request.GET.get("next", ""), "link" in request.GET
    state: dict[str, Any] = {"nonce": secrets.token_urlsafe(24)}
    if linking:
        if not request.user.is_authenticated or abs(time.time() - request.session.pop(ASKED, 0)) > ASKED_SECONDS:
            return redirect("account")
        state["account"] = request.user.pk
    elif request.user.is_authenticated:
        return redirect("home")
    try:
        take(FROM_AN_ADDRESS, client_address(request), what=_("Too many logins came from your address."))
        provider = get_adapter(request).get_provider(request, "openid_connect")
        provider.oauth2_adapter_class = CheckedOpenIdConnect
        return provider.redirect(  # type: ignore[no-any-return]
            request,
            process="connect" if linking else "login",
            next_url=following if is_own_address(following) else None,
            auth_params={"nonce": state["nonce"]},
            **state,
        )
    except _NONSENSE as fault:
        return unbelievable(request, fault)


@require_safe
@never_cache
def callback(request: HttpRequest) -> HttpResponse:
    """Back from the server. Who has a second factor is asked for it next, as after a password."""
    _refuse_unset()
    try:
        take(FROM_AN_ADDRESS, client_address(request), what=_("Too many logins came from your address."))
        provider = get_adapter(request).get_provider(request, "openid_connect")
        view = Callback.adapter_view(CheckedOpenIdConnect(request, provider.app.provider_id))
        return view(request)  # type: ignore[no-any-return]
    except _NONSENSE as fault:
        return unbelievable(request, fault)


@never_cache
@account_post
def change_link(request: HttpRequest) -> HttpResponse:
    """Ask to link a login, or unlink one, by one's password. A link to the server follows: forms lead only here."""
    _refuse_unset()
    own = account_of(request)
    if own.has_usable_password():
        take(OWN_PASSWORD, str(own.pk), what=_("Too many wrong passwords."))
        if not own.check_password(request.POST.get("password", "")):
            messages.error(request, str(WRONG_PASSWORD))
            return redirect(f"{reverse('account')}#outside")
        forget(OWN_PASSWORD, str(own.pk))
    if request.POST.get("do") == "link":
        request.session[ASKED] = time.time()
        return render(request, "foundation/outside_link.html", {"server": settings.OIDC_NAME})
    with refusal_told(request):
        unlink_login(account=own, link_id=whole_number(request.POST.get("unlink", "")) or 0)
        messages.info(request, _("The login is unlinked."))
    return redirect(f"{reverse('account')}#outside")


def _refuse_unset() -> None:
    if not settings.OIDC_NAME:
        raise Http404("this site has no logins by an outside server")
