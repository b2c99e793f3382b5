"""Pages that say what a removal costs, and do it: of an import, a description, a video."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from corpus.description_import.removing import (
    Removal,
    ask_to_take_back,
    descriptions_of,
    removal_of,
    removal_of_import,
    remove_description,
    remove_video,
)
from corpus.models import Description, Import, Video
from foundation.access.guards import lead_required
from foundation.access.pages import render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.models import Membership
from foundation.refused import Refused


@require_http_methods(["GET", "HEAD", "POST"])
@lead_required
def import_take_back(request: HttpRequest, member: Membership, import_id: int) -> HttpResponse:
    """What taking an import back costs, and a worker that does it; owners and leads only."""
    job = get_object_or_404(Import.objects.select_related("collection"), pk=import_id, collection=member.collection)
    here = job.get_absolute_url()
    if not job.can_be_taken_back:
        return redirect(here)

    def take() -> str:
        ask_to_take_back(job=job)
        ask_on_page(request, job)
        return here

    words = {
        "title": _("Take back %(file)s") % {"file": job.file_name},
        "what": _("What this import added is removed, and what it changed is changed back."),
        "button": _("Take this import back"),
        "back": here,
        "back_to": _("The import"),
    }
    return _removal(request, member, removal_of_import(job), words, take)


@require_http_methods(["GET", "HEAD", "POST"])
@lead_required
def video_remove(request: HttpRequest, member: Membership, video_id: int) -> HttpResponse:
    """What removing a video costs, and the removal; owners and leads only."""
    video = get_object_or_404(Video.objects.select_related("collection"), pk=video_id, collection=member.collection)

    def take() -> str:
        remove_video(video=video)
        messages.success(request, _("%(video)s was removed.") % {"video": video.name})
        return reverse("videos", args=[member.collection.name])

    words = {
        "title": _("Remove %(video)s") % {"video": video.name},
        "what": _("The video is removed with its moments, clips and descriptions. Its file stays where it is."),
        "button": _("Remove this video"),
        "back": reverse("video", args=[member.collection.name, video.pk]),
        "back_to": video.name,
    }
    return _removal(request, member, removal_of(member.collection, descriptions_of(video)), words, take)


@require_http_methods(["GET", "HEAD", "POST"])
@lead_required
def description_remove(request: HttpRequest, member: Membership, description_id: int) -> HttpResponse:
    """What removing a description costs, and the removal; owners and leads only."""
    descriptions = Description.objects.select_related("collection", "moment__video")
    description = get_object_or_404(descriptions, pk=description_id, collection=member.collection)
    video = description.moment.video
    back = reverse("video", args=[member.collection.name, video.pk])

    def take() -> str:
        remove_description(description=description)
        messages.success(request, _("The description was removed."))
        return back

    words = {
        "title": _("Remove a description"),
        "what": description.text,
        "button": _("Remove this description"),
        "back": back,
        "back_to": video.name,
    }
    return _removal(request, member, removal_of(member.collection, [description.pk]), words, take)


def _removal(
    request: HttpRequest, member: Membership, removal: Removal, words: dict[str, Any], take: Callable[[], str]
) -> HttpResponse:
    wrong = ""
    if request.method == "POST":
        try:
            return redirect(take())
        except Refused as refusal:
            wrong = str(refusal)
    facts = {"removal": removal, "wrong": wrong, **words}
    return render_facts(request, member, "corpus/removal.html", facts, status=409 if wrong else 200)
