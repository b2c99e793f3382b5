"""The pages that say that something went wrong."""

import sys
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from foundation.access.language import answer_account
from foundation.access.needs_login import LEADS_ONLY, SAFE, page_of_form
from foundation.access.second_factor import SecondFactorNeeded, lead_to_set_up
from foundation.access.study_pages import NotOfStudies
from foundation.access.time_limits import answer_to_time_limit
from foundation.infra.database_away import database_is_away


def _problem(request: HttpRequest, status: int, title: str, text: str, **more: str) -> HttpResponse:
    return render(request, "foundation/problem.html", {"title": title, "text": text, **more}, status=status)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, SecondFactorNeeded):
        return _second_factor_needed(request, exception)
    text = str(exception or "") or _("You don't have access to this page.")
    if text != str(LEADS_ONLY) or request.method not in SAFE:
        return _problem(request, 403, _("Not for you"), text)
    other = f"{reverse('login')}?{urlencode({'next': request.get_full_path(), 'why': 'lead'}, safe='/')}"
    return _problem(request, 403, _("Not for you"), text, log_in_as_lead=other)


def _second_factor_needed(request: HttpRequest, needed: SecondFactorNeeded) -> HttpResponse:
    if speaks_json(request):
        return JsonResponse({"message": str(needed)}, status=403)
    if request.method in SAFE:
        return lead_to_set_up(request)
    return _problem(
        request, 403, _("A second factor is needed"), str(needed), back=reverse("second-factor"), to_factor="1"
    )


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, NotOfStudies):
        return _problem(request, 404, _("Not in a study"), str(exception))
    if request.resolver_match is None:
        answer_account(request)
    return _problem(request, 404, _("Nothing here"), _("There is no such page, or it isn't yours to see."))


def server_error(request: HttpRequest) -> HttpResponse:
    """The error page; 503 if the database can't be reached (called while the error is handled)."""
    # What a middleware raised, such as one that saves the session, comes past every other.
    limited = answer_to_time_limit(request, sys.exc_info()[1])
    if limited is not None:
        return limited
    if database_is_away(sys.exc_info()[1]):
        text = _("Qreels can't reach its database at the moment. What you had saved is safe; try again in a minute.")
        response = plain_problem(request, 503, _("Back in a moment"), text)
        response["Retry-After"] = str(RETRY_SECONDS)
        return response
    text = _("Something broke on our side. What you had saved is safe; reload the page to go on.")
    return plain_problem(request, 500, _("That went wrong"), text)


RETRY_SECONDS = 10


def plain_problem(request: HttpRequest, status: int, title: str, text: str) -> HttpResponse:
    """A problem page made without the database, so without the login's name; JSON for clients that ask for it."""
    if speaks_json(request):
        return JsonResponse({"message": text}, status=status)
    return HttpResponse(render_to_string("foundation/problem.html", {"title": title, "text": text}), status=status)


def speaks_json(request: HttpRequest) -> bool:
    """Whether the client sends JSON, or accepts JSON rather than a page."""
    wanted = request.headers.get("Accept", "")
    return request.content_type == "application/json" or ("application/json" in wanted and "text/html" not in wanted)


def refused_body(request: HttpRequest, status: int, text: str) -> HttpResponse:
    """Refuse a request body that is too large or of a kind that this site doesn't read."""
    return plain_problem(request, status, _("Invalid input"), text)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    text = _("This page was open for too long. Nothing was changed; go back, reload it and try again.")
    # Its browser keeps what was typed (static/js/sent_form.js).
    return _problem(request, 403, _("Please try again"), text, back=page_of_form(request), nothing_sent="1")
