"""View guards for trainees and for readers of the guideline."""

from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse

from corpus.access.fast_login import NotLoggedIn, member_of_login
from corpus.access.guards import NO_JUDGING_IN_THE_ARCHIVE, SAFE, View, member_required
from corpus.models import Membership

LEADS_DO_NOT_TRAIN = "You lead this collection: you prepare its training and exam, others take them."
BARRED = "The lead has ended your part in this collection."


def _refusal(member: Membership) -> str:
    if member.leads:
        return LEADS_DO_NOT_TRAIN
    if member.collection.archived_at is not None:
        return NO_JUDGING_IN_THE_ARCHIVE
    return BARRED if member.status == Membership.Status.BARRED else ""


def trainee_required(view: View) -> View:
    """`view(request, member, ...)` for annotators, admitted or not; 403 for leads and the barred."""

    @member_required
    @wraps(view)
    def guarded(request: HttpRequest, member: Membership, *args: Any, **kwargs: Any) -> HttpResponse:
        refusal = _refusal(member)
        if refusal:
            raise PermissionDenied(refusal)
        return view(request, member, *args, **kwargs)

    return guarded


def trainee_api(view: View) -> View:
    """Like `trainee_required` for a page's own requests: a lost login answers 401, a refusal is plain text."""

    @member_api
    @wraps(view)
    def guarded(request: HttpRequest, member: Membership, *args: Any, **kwargs: Any) -> HttpResponse:
        refusal = _refusal(member)
        if refusal:
            return HttpResponse(refusal, status=403, content_type="text/plain")
        return view(request, member, *args, **kwargs)

    return guarded


def member_api(view: View) -> View:
    """`view(request, member, ...)` for every member's own requests: a lost login answers 401, not a redirect."""

    @wraps(view)
    def guarded(request: HttpRequest, name: str, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            member = member_of_login(request, name)
        except NotLoggedIn:
            return HttpResponse("Log in again to go on; nothing is lost.", status=401, content_type="text/plain")
        if member is None:
            raise Http404("no such collection")
        if member.collection.archived_at is not None and request.method not in SAFE:
            return HttpResponse(NO_JUDGING_IN_THE_ARCHIVE, status=403, content_type="text/plain")
        return view(request, member, *args, **kwargs)

    return guarded
