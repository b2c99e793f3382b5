"""Logging in: throttled by account and address, and logged. Nobody can lock somebody else out.

A browser in which an account has logged in before is known by a signed cookie, and is counted by itself: whoever
guesses from elsewhere doesn't hold it up. While an account is being guessed at from many addresses, each address has
few attempts, but has them: a real person comes in from a new browser, too.
"""

import logging
import secrets
from typing import Any

from allauth.account.utils import perform_login
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.core import signing
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy

from foundation.access import throttle
from foundation.access.client_address import client_address
from foundation.access.needs_login import REASONS
from foundation.access.relying_party import party_or_reason, passkeys_allowed
from foundation.access.throttle import Limit, Throttled
from foundation.models import Account

FROM_ONE_PLACE = Limit("login", 10, 10)
"""For one account from one address, or from one known browser."""
FROM_ANYWHERE = Limit("login-account", 100, 60)
"""For one account; beyond that UNDER_ATTACK holds for each address."""
UNDER_ATTACK = Limit("login-attack", 3, 60)
FROM_AN_ADDRESS = Limit("login-address", 100, 10)
"""For all accounts from one address, which a whole class may share."""
TOO_MANY = gettext_lazy("Too many wrong passwords came for this name, or from your address.")
COOKIE, COOKIE_SECONDS = "qreels_browser", 365 * 24 * 60 * 60

log = logging.getLogger("qreels.logins")


class LoginAttempt:
    """One login attempt: counted before the password is checked, and updated with its result."""

    def __init__(self, request: HttpRequest, username: str) -> None:
        # As it is typed: only that name can be logged in to, and another that differs by case is somebody else's.
        self.username = username
        self.address = client_address(request)
        self.browser = known_browser(request, username)
        self.place = self.browser or self.address

    def begin(self) -> None:
        """Raises: Throttled."""
        if not self.browser:
            throttle.refuse_when_full(FROM_AN_ADDRESS, self.address, what=TOO_MANY)
            if throttle.is_full(FROM_ANYWHERE, self.username):
                throttle.take(UNDER_ATTACK, self.username, self.place, what=TOO_MANY)
        throttle.take(FROM_ONE_PLACE, self.username, self.place, what=TOO_MANY)

    def failed(self, exists: bool) -> None:
        # An unknown name may be a password in the wrong field: it isn't written down.
        log.warning("login failed: %s from %s", repr(self.username) if exists else "an unknown name", self.address)
        if not self.browser:
            throttle.count(FROM_AN_ADDRESS, self.address)
            throttle.count(FROM_ANYWHERE, self.username)

    def succeeded(self) -> None:
        log.info("login: %r from %s", self.username, self.address)
        throttle.forget(FROM_ONE_PLACE, self.username, self.place)


class LoginForm(AuthenticationForm):
    """Django's form behind the limits. `clean` raises Throttled beside what Django's raises."""

    def clean(self) -> dict[str, Any]:
        assert self.request is not None
        username = self.cleaned_data.get("username") or ""
        if not username or not self.cleaned_data.get("password"):
            return super().clean()
        attempt = LoginAttempt(self.request, username)
        attempt.begin()
        try:
            cleaned = super().clean()
        except ValidationError:
            attempt.failed(Account.objects.filter(username=username).exists())
            raise
        attempt.succeeded()
        return cleaned


class LoginPage(LoginView):
    """The login page; 429 with the waiting time after too many attempts.

    It says why one is there. On a site without any account it says that the site waits for its owner.
    """

    template_name = "foundation/login.html"
    authentication_form = LoginForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        why = self.request.GET.get("why", "")
        facts = {"why": REASONS.get(why, ""), "nothing_sent": why == "form", "mail_is_set": settings.MAIL_IS_SET}
        facts |= {"oidc_name": settings.OIDC_NAME}
        facts |= {"passkeys_log_in": passkeys_allowed(as_login=True) and party_or_reason(self.request)[0] is not None}
        return {**super().get_context_data(**kwargs), **facts, "nobody_yet": not Account.objects.exists()}

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return super().post(request, *args, **kwargs)
        except Throttled:
            log.warning("login throttled: from %s", client_address(request))
            raise

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        account = form.get_user()
        response = log_in(self.request, account, self.get_success_url())
        if self.request.user.is_authenticated:
            remember_browser(self.request, response, account.get_username())
        return response


def login_page(request: HttpRequest, **problems: str) -> HttpResponse:
    """The login page with status 400, and what was wrong by its name in the template."""
    page = LoginPage()
    page.setup(request)
    context = page.get_context_data(form=LoginForm(request), **problems)
    return page.render_to_response(context, status=400)


def log_in(request: HttpRequest, account: Account, address: str) -> HttpResponse:
    """Log an account in whose first factor was right, and lead on to `address`: by way of its second, if it has one."""
    return perform_login(request, account, redirect_url=address)  # type: ignore[no-any-return]


class Logout(LogoutView):
    """Log out, then to the login page, or to the `next` of the form."""

    def get_success_url(self) -> str:
        return self.get_redirect_url() or f"{reverse('login')}?why=out"


def known_browser(request: HttpRequest, username: str) -> str:
    """The browser's id if this account has logged in with it before, else ""."""
    cookie = request.COOKIES.get(COOKIE, "")
    try:
        mark, known = signing.loads(cookie, salt=COOKIE, max_age=COOKIE_SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return ""
    return str(mark) if known == username else ""


def remember_browser(request: HttpRequest, response: HttpResponse, username: str) -> None:
    """Set the cookie by which this browser is known to belong to the account."""
    mark = known_browser(request, username) or secrets.token_urlsafe(12)
    response.set_cookie(
        COOKIE,
        signing.dumps([mark, username], salt=COOKIE),
        max_age=COOKIE_SECONDS,
        path="/login/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
