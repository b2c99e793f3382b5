"""`login_required`: like Django's, and the login page says why one is there.

A form that was sent without a login leads back to the page it was on, where it can be sent again, and not to the
address that it was sent to, which has no page.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from foundation.models import Account

View = Callable[..., HttpResponseBase]
LEADS_ONLY = gettext_lazy("This page is for the lead annotator.")
SAFE = ("GET", "HEAD", "OPTIONS")

REASONS = {
    "ended": gettext_lazy(
        "Your login has ended: it expired, was ended on the page Account, or your password was changed."
    ),
    "judging": gettext_lazy(
        "Your login has ended. Nothing that you graded is lost: it waits in this browser, and is saved as soon "
        "as you log in again with the same name."
    ),
    "form": gettext_lazy(
        "Your login had ended when you sent that form, so nothing was changed. Log in: its page opens again, with "
        "what you typed where your browser has kept it. Chosen files and passwords have to be entered again."
    ),
    "lead": gettext_lazy(
        "That page is for the lead annotators of its collection. Log in with an account that leads it."
    ),
    "password": gettext_lazy(
        "Your new password is set, and all logins and tokens from before have ended. Log in with it."
    ),
    "factor": gettext_lazy("Log in once more, now with your second factor: leads and owners need it on this site."),
    "fresh": gettext_lazy("Log in once more, and you can change how you log in."),
    "out": gettext_lazy("You are logged out."),
}
"""Why somebody is at the login page, by the `why` of its address."""


def login_required(view: View) -> View:
    """The view for who is logged in; others are sent to the login page."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        return to_login(request)

    return guarded


def account_get(view: View) -> View:
    """What whoever is logged in reads."""
    return require_safe(login_required(view))


def account_post(view: View) -> View:
    """What a form of whoever is logged in does."""
    return require_POST(login_required(view))


def account_of(request: HttpRequest) -> Account:
    """The account that asks, as the database has it now.

    Raises: Account.DoesNotExist if nobody is logged in, which a guard looks at first.
    """
    return Account.objects.get(pk=request.user.pk or 0)


def is_api(request: HttpRequest) -> bool:
    """Whether a program asks, at an address of the API: it wants no page."""
    return request.path.startswith("/api/")


def to_login(request: HttpRequest) -> HttpResponse:
    """Redirect to the login page, which leads back here, or to the page of the form that was sent."""
    query = {"next": request.get_full_path()}
    page = page_of_form(request) if request.method not in SAFE else ""
    if page:
        query |= {"next": page, "why": "form"}
    elif settings.SESSION_COOKIE_NAME in request.COOKIES:
        query["why"] = "ended"
    return HttpResponseRedirect(f"{reverse('login')}?{urlencode(query, safe='/')}")


def page_of_form(request: HttpRequest) -> str:
    """The path of the page on which the form was; "" where that can't be known."""
    came_from = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(came_from, allowed_hosts={request.get_host()}):
        return ""
    page = urlsplit(came_from)
    return f"{page.path}?{page.query}" if page.query else page.path
