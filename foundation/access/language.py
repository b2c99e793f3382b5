"""The language of an answer: the account's, else the browser's.

A lead who has chosen none gets English, since leads' pages aren't translated completely. A page's facts as JSON, CSV
and figures are English for everybody: programs and papers read them.
"""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation.trans_real import get_languages

from foundation.access.middleware import Middleware
from foundation.access.needs_login import View
from foundation.models import Account


class Language(Middleware):
    """Middleware, the outermost, so that every refusal is said in the browser's language at least."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        browsers = translation.get_language_from_request(request)
        with translation.override(browsers):
            response = self._get_response(request)
            if response.get("Content-Type", "").startswith("text/html"):
                patch_vary_headers(response, ["Accept-Language"])
        return response

    def process_view(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> None:
        """Answer in the account's language. Views that `says_who_asks` do it themselves, by their own statement."""
        if not getattr(view, "says_who_asks", False):
            answer_account(request)


def answer_account(request: HttpRequest) -> None:
    """From here on, the answer to this request is in its account's language."""
    # Without the cookie of a login nobody is asked for, and a page for everybody costs no statement.
    account = request.user if settings.SESSION_COOKIE_NAME in request.COOKIES else None
    answer_in(request, account.language if isinstance(account, Account) else "")


def answer_in(request: HttpRequest, language: str, *, leads: bool = False) -> None:
    """From here on, sentences, dates and numbers of the answer to this request are in this language.

    Args:
        language: the account's; "" or one that the site doesn't have (any longer): the browser's.
        leads: whether the answer is for a lead, who without a choice gets English.
    """
    if _is_export(request):
        translation.activate(settings.LANGUAGE_CODE)
    elif language and language in get_languages():
        translation.activate(language)
    elif leads:
        translation.activate(settings.LANGUAGE_CODE)
    else:
        translation.activate(translation.get_language_from_request(request))


def _is_export(request: HttpRequest) -> bool:
    """Whether the answer is kept or read by a program, by its address's name."""
    name = (request.resolver_match.url_name if request.resolver_match else None) or ""
    return name.endswith(("-csv", "-svg", "-template"))


def says_who_asks(view: View) -> View:
    """Mark a view for which the middleware needs no account: it finds it itself, or has no words."""
    view.says_who_asks = True  # type: ignore[attr-defined]
    return view
