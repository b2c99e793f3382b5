"""Publishing pages: choose a target, see the plan, confirm, watch; the history."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from datasets.formats.card import CARD
from datasets.models import Publication
from datasets.publishing.destinations import kind_of, usual_below
from datasets.publishing.jobs import ask_for_publication, confirm_publication
from datasets.publishing.progress import counts_of, history_of, progress_of_publication
from datasets.releases.access import sharing_of
from datasets.releases.selectors import facts_of, release_of
from foundation.access.guards import lead_required
from foundation.access.pages import PageFacts, lead_page, refusal_told
from foundation.infra.job_pages import ask_on_page
from foundation.infra.list_pages import numbered_page
from foundation.models import Membership
from foundation.refused import Refused

PAGE = 50
FIRST = ("differs", "new", "same")
"""The order of files: conflicts first."""


def _publication_of(member: Membership, publication_id: int) -> Publication:
    rows = Publication.objects.select_related("release__collection", "member")
    return get_object_or_404(rows, pk=publication_id, release__collection=member.collection)


def _row(publication: Publication) -> dict[str, Any]:
    return {
        "id": publication.pk,
        "place": publication.place,
        "format": publication.format_name,
        "state": publication.state,
        "words": publication.get_state_display(),
        "by": publication.member.worker if publication.member else None,
        "confirmed_at": publication.confirmed_at,
        "finished_at": publication.finished_at,
    }


@lead_page("datasets/publish.html")
def publish(request: HttpRequest, member: Membership, release_id: int) -> PageFacts:
    """The page with the allowed targets, a form for one of them, and the release's publications."""
    release = release_of(member, release_id)
    destinations = [
        {
            "root": root,
            "kind": kind_of(root),
            "usual": usual_below(root, collection=member.collection.name, release=release.name),
        }
        for root in settings.PUBLISH_ROOTS
    ]
    page = numbered_page(history_of(release), request.GET, size=PAGE)
    return {
        "release": facts_of(release),
        "destinations": destinations,
        "publications": [{**_row(publication), "counts": counts_of(publication)} for publication in page],
        "page": page,
        "under_way": [
            publication for publication in release.publications.order_by("-pk")[:PAGE] if not publication.finished
        ],
        "root": request.GET.get("root", ""),
        "below": request.GET.get("below", ""),
        "format": request.GET.get("files", ""),
        "archives": any(one["kind"] == "archive" for one in destinations),
    }


@require_POST
@lead_required
def look(request: HttpRequest, member: Membership, release_id: int) -> HttpResponse:
    """Have a worker plan a publication; owners and leads only. Nothing is sent."""
    release = release_of(member, release_id)
    root = request.POST.get("root", "")
    usual = usual_below(root, collection=member.collection.name, release=release.name)
    try:
        publication = ask_for_publication(
            member=member,
            release=release,
            root=root,
            below=request.POST.get("below", "").strip().strip("/") or usual,
            format_name=request.POST.get("files", ""),
            new_record="new_record" in request.POST,
        )
    except Refused as error:
        messages.error(request, str(error))
        return redirect("publish", member.collection.name, release.pk)
    ask_on_page(request, publication)
    return _page_of(member, publication)


def _page_of(member: Membership, publication: Publication) -> HttpResponse:
    return redirect("publication", member.collection.name, publication.pk)


@lead_page("datasets/publication.html")
def publication(request: HttpRequest, member: Membership, publication_id: int) -> PageFacts:
    """One publication: every file with its address and state, and the buttons to confirm, stop or resume."""
    publication = _publication_of(member, publication_id)
    sent = set(publication.sent)
    shown = sorted(publication.plan, key=lambda file: FIRST.index(file["state"]))
    files = [{**file, "sent": file["goes_to"] in sent} for file in shown]
    without_card = publication.place.startswith("hf://") and not any(file["goes_to"] == CARD for file in files)
    return {
        "release": facts_of(publication.release),
        "publication": {
            **_row(publication),
            "root": publication.root,
            "below": publication.below,
            "asked_at": publication.asked_at,
            "replace": publication.replace,
            "record": publication.record,
            "new_record": publication.new_record,
            "to_archive": publication.root and kind_of(publication.root) == "archive",
            "problem": publication.problem,
        },
        "progress": progress_of_publication(publication),
        "counts": counts_of(publication),
        "files": files,
        "without_card": files and without_card,
        "truth_hidden": sharing_of(publication.release).hide_test,
    }


@require_POST
@lead_required
def send(request: HttpRequest, member: Membership, publication_id: int) -> HttpResponse:
    """Send the checked publication; owners and leads only."""
    publication = _publication_of(member, publication_id)
    with refusal_told(request):
        if confirm_publication(
            publication=publication, member=member, replace="replace" in request.POST, final="final" in request.POST
        ):
            ask_on_page(request, publication)
    return _page_of(member, publication)
