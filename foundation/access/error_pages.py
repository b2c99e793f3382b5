"""The pages that say that something went wrong."""

import logging
import sys
from collections.abc import Callable
from urllib.parse import urlencode

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from foundation.access import time_limits
from foundation.access.language import answer_account
from foundation.access.needs_login import LEADS_ONLY, SAFE, is_api, page_of_form
from foundation.access.second_factor import SecondFactorNeeded, lead_to_set_up
from foundation.access.study_pages import NotOfStudies
from foundation.infra.database_away import database_is_away

BUSY_SECONDS, AWAY_SECONDS = 5, 10
"""After which a request that met a limit, or no database, is worth another try."""
log = logging.getLogger(__name__)


def problem_page(request: HttpRequest, status: int, title: str, text: str, **more: str) -> HttpResponse:
    """A page that says what is the matter; `more` as its template has it."""
    return render(request, "foundation/problem.html", {"title": title, "text": text, **more}, status=status)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, SecondFactorNeeded):
        return _second_factor_needed(request, exception)
    text = str(exception or "") or _("You don't have access to this page.")
    if text != str(LEADS_ONLY) or request.method not in SAFE:
        return problem_page(request, 403, _("Not for you"), text)
    other = f"{reverse('login')}?{urlencode({'next': request.get_full_path(), 'why': 'lead'}, safe='/')}"
    return problem_page(request, 403, _("Not for you"), text, log_in_as_lead=other)


def _second_factor_needed(request: HttpRequest, needed: SecondFactorNeeded) -> HttpResponse:
    if speaks_json(request):
        return JsonResponse({"message": str(needed)}, status=403)
    if request.method in SAFE:
        return lead_to_set_up(request)
    return problem_page(
        request, 403, _("A second factor is needed"), str(needed), back=reverse("second-factor"), to_factor="1"
    )


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, NotOfStudies):
        return problem_page(request, 404, _("Not in a study"), str(exception))
    if request.resolver_match is None:
        answer_account(request)
    return problem_page(request, 404, _("Nothing here"), _("There is no such page, or it isn't yours to see."))


def server_error(request: HttpRequest) -> HttpResponse:
    """The error page; 503 if the database can't be reached (called while the error is handled)."""
    # What a middleware raised, such as one that saves the session, comes past every other.
    limited = answer_to_time_limit(request, sys.exc_info()[1])
    if limited is not None:
        return limited
    if database_is_away(sys.exc_info()[1]):
        text = _("Qreels can't reach its database at the moment. What you had saved is safe; try again in a minute.")
        return try_later(request, text, AWAY_SECONDS, lambda: plain_page(503, _("Back in a moment"), text))
    text = _("Something broke on our side. What you had saved is safe; reload the page to go on.")
    return plain_problem(request, 500, _("That went wrong"), text)


def answer_to_time_limit(request: HttpRequest, fault: BaseException | None) -> HttpResponse | None:
    """503 for a statement that was cancelled, or a file that the storage didn't give; None for other errors."""
    why = time_limits.why_not_in_time(fault)
    if why is None:
        return None
    log.warning("%s %s: %s", request.method, request.path, str(fault).partition("\n")[0])
    text, title = f"{why} {time_limits.SAFE}", str(time_limits.TITLE)

    def page() -> HttpResponse:
        try:
            return problem_page(request, 503, title, text)
        except DatabaseError:  # the page says who is logged in
            return plain_page(503, title, text)

    return try_later(request, text, BUSY_SECONDS, page)


def try_later(request: HttpRequest, text: str, seconds: int, page: Callable[[], HttpResponse]) -> HttpResponse:
    """503 that says when to try again: JSON for clients that ask for it, the page for others."""
    body = {"error": text, "message": text, "retry_after": seconds}
    response = JsonResponse(body, status=503) if speaks_json(request) else page()
    response["Retry-After"] = str(seconds)
    response["Cache-Control"] = "no-store"
    return response


def plain_problem(request: HttpRequest, status: int, title: str, text: str) -> HttpResponse:
    """A `plain_page`; JSON for clients that ask for it."""
    return JsonResponse({"message": text}, status=status) if speaks_json(request) else plain_page(status, title, text)


def plain_page(status: int, title: str, text: str) -> HttpResponse:
    """A problem page made without the database, so without the login's name."""
    return HttpResponse(render_to_string("foundation/problem.html", {"title": title, "text": text}), status=status)


def speaks_json(request: HttpRequest) -> bool:
    """Whether a program asks: it sends JSON, accepts JSON rather than a page, or no page at all."""
    accepted = request.headers.get("Accept", "")
    prefers = "application/json" in accepted and "text/html" not in accepted
    return prefers or request.content_type == "application/json" or is_api(request) or not request.accepts("text/html")


def refused_body(request: HttpRequest, status: int, text: str) -> HttpResponse:
    """Refuse a request body that is too large or of a kind that this site doesn't read."""
    return plain_problem(request, status, _("Invalid input"), text)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    text = _("This page was open for too long. Nothing was changed; go back, reload it and try again.")
    # Its browser keeps what was typed (static/js/sent_form.js).
    return problem_page(request, 403, _("Please try again"), text, back=page_of_form(request), nothing_sent="1")
