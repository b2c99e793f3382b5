"""Requests of the judging page for what may be looked at beside a clip: nothing but of what is at hand."""

import uuid

from django.http import Http404, HttpRequest, JsonResponse

from annotation.judging.at_hand import context_of, earlier_clips, find_at_hand
from annotation.models import Pair
from foundation.access.guards import annotator_get
from foundation.models import Membership


@annotator_get
def context(request: HttpRequest, member: Membership, pair: str) -> JsonResponse:
    """Where the seconds before and after a clip are; 404 where the lead allows none, or it isn't at hand."""
    found = _at_hand(member, pair) if member.collection.context_seconds else None
    if found is None:
        raise Http404("no context of that")
    return JsonResponse(context_of(member, found.candidate.moment), headers={"Cache-Control": "no-store"})


@annotator_get
def earlier(request: HttpRequest, member: Membership) -> JsonResponse:
    """The annotator's own last clips of the query of {"pair"}; 404 as for the context."""
    found = _at_hand(member, request.GET.get("pair", "")) if member.collection.compare_clips else None
    if found is None:
        raise Http404("nothing to compare with that")
    return JsonResponse({"clips": earlier_clips(member, found)}, headers={"Cache-Control": "no-store"})


def _at_hand(member: Membership, said: str) -> Pair | None:
    try:
        return find_at_hand(member, uuid.UUID(said)) if member.collection.has_clips else None
    except ValueError:
        return None
