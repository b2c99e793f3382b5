"""The lead's list of captions that wait for a person: accept, refuse, or write another."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from kombu.exceptions import OperationalError

from corpus.access import lead_required
from corpus.models import Membership
from queries.deciding import NotInReview, decide_caption
from queries.models import Caption
from queries.selectors import captions_in_review
from queries.tasks import check_edit

PAGE = 25


@require_safe
@lead_required
def captions(request: HttpRequest, member: Membership) -> HttpResponse:
    """Captions in review with their attempts, scores and what the checks found."""
    page = Paginator(captions_in_review(member.collection), PAGE).get_page(request.GET.get("page"))
    return render(request, "queries/captions.html", {"collection": member.collection, "member": member, "page": page})


@require_safe
@lead_required
def caption_queue(request: HttpRequest, member: Membership) -> HttpResponse:
    """The same as JSON: {"captions": [{"caption", "description", "text", "names", "similarity", ...}]}."""
    rows = [
        {
            "caption": caption.pk,
            "description": caption.description.text,
            "text": caption.text,
            "names": caption.attempt.names,
            "names_passed": caption.attempt.names_passed,
            "similarity": caption.attempt.similarity,
            "similarity_passed": caption.attempt.similarity_passed,
        }
        for caption in captions_in_review(member.collection)
    ]
    return JsonResponse({"captions": rows})


@require_POST
@lead_required
def decide(request: HttpRequest, member: Membership, caption_id: int) -> HttpResponse:
    """Accept or refuse a caption, or put another text in its place, which the worker checks."""
    decision, text = request.POST.get("decision", ""), request.POST.get("text", "").strip()
    if not Caption.objects.filter(pk=caption_id, description__collection=member.collection).exists():
        messages.error(request, "There is no such caption in this collection.")
    elif decision == "edit" and text:
        try:
            check_edit.delay(caption_id, member.pk, text)
            messages.info(request, "Your caption is being checked; reload in a moment, then accept it.")
        except OperationalError:
            messages.error(request, "No worker can be reached to check it. Nothing was changed; try again later.")
    elif decision in ("accept", "refuse"):
        try:
            decide_caption(
                caption_id=caption_id,
                member=member,
                accept=decision == "accept",
                reason=request.POST.get("reason", "")[:1000],
            )
        except NotInReview as refusal:
            messages.error(request, str(refusal))
    else:
        messages.error(request, "Choose accept or refuse, or write another caption.")
    page = request.POST.get("page", "")
    return redirect(reverse("captions", args=[member.collection.name]) + (f"?page={page}" if page.isdigit() else ""))
