"""The home page and the error pages."""

import sys
from typing import Any
from urllib.parse import urlencode

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from corpus.access.collection_standing import standing_of
from corpus.access.language import answer_account
from corpus.access.needs_login import LEADS_ONLY, SAFE, login_required, page_of_form
from corpus.access.offers import offers
from corpus.access.outside_roles import outside_roles_of
from corpus.access.second_factor import SecondFactorNeeded, lead_to_set_up
from corpus.access.study_pages import NotOfStudies
from corpus.access.time_limits import answer_to_time_limit
from corpus.infra.database_away import database_is_away
from corpus.models import Clip, Collection, Membership


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """The account's collections; an account with only one is redirected to its first page."""
    every = list(
        Membership.objects.filter(account=request.user)
        .select_related("collection__study_of")
        .order_by("collection__title")
    )
    asked = request.GET.get("archived") == "1"
    members = [member for member in every if _listed(member.collection, archived=asked)]
    # Who may begin another one needs the page that offers it: the name in the bar leads here.
    creates = request.user.creates_collections
    # A study is work for annotators, which they find here; leads find it in its collection.
    places = [member for member in every if not member.collection.is_study]
    places += [member for member in members if member.collection.is_study and not member.leads]
    outside = [] if asked else outside_roles_of(request.user)
    if len(places) + len(outside) == 1 and not creates and not asked:
        if outside:
            return redirect(outside[0].address)
        if places[0] in members:
            return redirect(first_page(places[0]))
    context = {
        "cards": _cards(_studies_below(members)),
        "outside": outside,
        "archived": asked,
        "in_archive": sum(_listed(member.collection, archived=True) for member in every),
        "creates": creates,
        "offers": offers() if creates else [],
    }
    return render(request, "corpus/home.html", context)


def _cards(members: list[Membership]) -> list[dict[str, Any]]:
    """What the page shows of each place: its address, a poster of the collection ("" without), and for leads how far
    it is."""
    of_it = Clip.objects.filter(moment__video__collection=Coalesce(OuterRef("study_of"), OuterRef("pk")))
    poster = Subquery(of_it.exclude(poster_file="").values("public_name")[:1])
    ids = [member.collection_id for member in members if member.status != Membership.Status.BARRED]
    posters = dict(Collection.objects.filter(pk__in=ids).values_list("pk", poster))
    return [
        {
            "member": member,
            "address": first_page(member),
            "poster": posters.get(member.collection_id) or "",
            "standing": standing_of(member.collection) if member.leads else None,
        }
        for member in members
    ]


def _listed(collection: Collection, *, archived: bool) -> bool:
    """Whether it is among those at work, or those archived; a study that was put away is on its collection's page."""
    if collection.study_of is not None and collection.archived_at is not None and not collection.study_of.archived_at:
        return False
    return (collection.archived_at is not None) == archived


def _studies_below(members: list[Membership]) -> list[Membership]:
    """Collections, each followed by its studies; studies whose collection isn't listed come last."""
    studies = [member for member in members if member.collection.is_study]
    found = []
    for member in members:
        if not member.collection.is_study:
            found += [member, *(one for one in studies if one.collection.study_of_id == member.collection_id)]
    return found + [one for one in studies if one not in found]


def first_page(member: Membership) -> str:
    """The first page of a member: the overview for leads, judging for annotators, training before that."""
    if member.leads:
        page = "overview"
    elif member.status in (Membership.Status.CANDIDATE, Membership.Status.DECLINED):
        page = "qualification"
    else:
        page = "judge"
    return reverse(page, args=[member.collection.name])


def _problem(request: HttpRequest, status: int, title: str, text: str, **more: str) -> HttpResponse:
    return render(request, "corpus/problem.html", {"title": title, "text": text, **more}, status=status)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, SecondFactorNeeded):
        return _second_factor_needed(request, exception)
    text = str(exception or "") or _("You don't have access to this page.")
    if text != LEADS_ONLY or request.method not in SAFE:
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
    return HttpResponse(render_to_string("corpus/problem.html", {"title": title, "text": text}), status=status)


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
