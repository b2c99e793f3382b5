"""The lead's overview of one collection."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.selectors import progress
from corpus.access import lead_required
from corpus.models import Membership
from desk.selectors import stages


@require_safe
@lead_required
def overview(request: HttpRequest, member: Membership) -> HttpResponse:
    """Every stage as a figure with its backlog; owners and leads only."""
    context = {
        "collection": member.collection,
        "member": member,
        "stages": stages(member.collection),
        "progress": progress(member.collection),
        "people": member.collection.memberships.select_related("account").order_by("role", "worker"),
    }
    return render(request, "desk/overview.html", context)
