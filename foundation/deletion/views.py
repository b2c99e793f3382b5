"""The pages that delete a collection: what goes, the name to type, how far it is."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from foundation.access.guards import lead_of_archived
from foundation.access.needs_login import account_get
from foundation.access.pages import render_facts
from foundation.deletion.hooks import losses_of, obstacles_of, warnings_of
from foundation.deletion.services import ask_for_deletion
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_of
from foundation.models import CollectionDeletion, Membership
from foundation.refused import Refused


@require_http_methods(["GET", "HEAD", "POST"])
@lead_of_archived
def delete(request: HttpRequest, member: Membership) -> HttpResponse:
    """What goes with the collection and the form that deletes it; owners only."""
    if member.role != Membership.Role.OWNER:
        raise PermissionDenied(_("Only an owner can delete a collection. You are a lead here."))
    collection = member.collection
    wrong: dict[str, str] = {}
    if request.method == "POST":
        try:
            asked = ask_for_deletion(
                member=member, typed=request.POST.get("typed", ""), agreed="agreed" in request.POST
            )
        except Refused as refusal:
            wrong = {refusal.field or "all": str(refusal)}
        else:
            ask_on_page(request, asked)
            return redirect(asked)
    standing = CollectionDeletion.objects.filter(number=collection.pk).first()
    if standing is not None and not standing.finished:
        return redirect(standing)
    facts = {
        "losses": [loss.words for loss in losses_of(collection)],
        "obstacles": obstacles_of(collection),
        "warnings": warnings_of(collection),
        "failed": standing.problem if standing is not None else "",
        "wrong": wrong,
    }
    return render_facts(request, member, "foundation/collection_delete.html", facts, status=400 if wrong else 200)


def _own(request: HttpRequest, deletion_id: int) -> CollectionDeletion:
    return get_object_or_404(CollectionDeletion, pk=deletion_id, account_id=request.user.pk)


@account_get
def deletion(request: HttpRequest, deletion_id: int) -> HttpResponse:
    """How far a deletion is, for the account that asked for it; 404 for all others."""
    row = _own(request, deletion_id)
    return render(request, "foundation/collection_deletion.html", {"deletion": row, "progress": progress_of(row)})


@account_get
def progress(request: HttpRequest, deletion_id: int) -> HttpResponse:
    """The same for the page's script."""
    return JsonResponse(progress_of(_own(request, deletion_id)))
