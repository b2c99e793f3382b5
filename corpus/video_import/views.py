"""The page on which a lead adds videos, and the report of one import."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from corpus.models import VideoImport
from corpus.video_import.jobs import ask_for_import, ask_to_settle
from corpus.video_import.selectors import (
    arrivals,
    import_facts,
    moments_past_end,
    names,
)
from corpus.video_import.sources import Survey, open_source
from corpus.video_import.unfinished import give_up
from foundation.access.form_input import with_point
from foundation.access.pages import PageFacts, lead_page, lead_post, refusal_told, render_facts
from foundation.infra.figure_cache import figure_name, kept
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_of
from foundation.models import Membership
from foundation.refused import Refused
from foundation.uploads.pieces import LONGEST_PIECE, free_space

LISTED = 10


TEMPLATE = "corpus/videos_add.html"
USUAL_RATE = "3"
"""Pictures a second in folders of pictures, as TVR's frames have it."""


@lead_page(TEMPLATE)
def videos_add(request: HttpRequest, member: Membership) -> PageFacts:
    """What has arrived, what lies on the server (`?place=`), which names belong together, and the last imports."""
    return _facts(member, request.GET.get("place", ""))


def _facts(member: Membership, place: str, fps: str = USUAL_RATE, faults: dict[str, str] | None = None) -> PageFacts:
    collection = member.collection
    jobs = list(collection.video_imports.select_related("member", "collection").order_by("-pk")[:LISTED])
    survey, refused = _survey(place)
    past = kept(figure_name("past-end", collection.video_imports), collection, moments_past_end)
    under_way = next((job for job in reversed(jobs) if not job.finished), None)
    if under_way is None and jobs and jobs[0].state == jobs[0].STOPPED:
        under_way = jobs[0]
    return {
        "uploads": arrivals(collection),
        "free_bytes": max(0, free_space()),
        "longest_video": settings.LONGEST_VIDEO,
        "sources": list(settings.VIDEO_SOURCES),
        "place": survey,
        "names": names(collection),
        "past_end": past,
        "imports": [import_facts(job) for job in jobs],
        "refused": refused,
        "fps": fps,
        "faults": faults or {},
        "previews": collection.import_previews.order_by("-pk")[:LISTED],
        "job": under_way,
        "progress": progress_of(under_way) if under_way else None,
        "longest_piece": LONGEST_PIECE,
    }


def _survey(place: str) -> tuple[Survey | None, str]:
    if not place:
        return None, ""
    try:
        return open_source(place).survey(), ""
    except Refused as refusal:
        return None, str(refusal)


@lead_post
def video_import_start(request: HttpRequest, member: Membership) -> HttpResponse:
    """Import what was uploaded, or the folder or prefix `source`; owners and leads only. JSON for the page's script."""
    typed = request.POST.get("fps", "").strip()
    wants_json = request.headers.get("Accept", "") == "application/json"
    try:
        rate = float(with_point(typed)) if typed else None
    except ValueError:
        fault = _("Found “%(found)s”, expected a number such as 3 or 23.976.") % {"found": typed[:40]}
        facts = _facts(member, request.POST.get("source", ""), typed, {"fps": fault})
        return render_facts(request, member, TEMPLATE, facts, status=400)
    with refusal_told(request):
        job = ask_for_import(
            collection=member.collection, member=member, source=request.POST.get("source", ""), frame_rate=rate
        )
        ask_on_page(request, job)
        if wants_json:
            return JsonResponse({"address": job.get_absolute_url()})
        return redirect(job)
    return redirect("videos-add", member.collection.name)


@lead_post
def video_names_settle(request: HttpRequest, member: Membership) -> HttpResponse:
    """Give videos the files that were ticked (`pair`: ID and file, with a colon); owners and leads only."""
    collection = member.collection
    pairs = [(number, file) for number, _, file in (pair.partition(":") for pair in request.POST.getlist("pair"))]
    job = ask_to_settle(member=member, pairs=pairs)
    if job is None:
        messages.error(request, _("Nothing was changed. Tick at least one file that belongs to no video yet."))
        return redirect(f"{reverse('videos-add', args=[collection.name])}#names")
    ask_on_page(request, job)
    return redirect(job)


@lead_post
def video_uploads_give_up(request: HttpRequest, member: Membership) -> HttpResponse:
    """Remove the incomplete uploads `key`, or without any all that the member began; owners and leads only."""
    removed = give_up(member=member, keys=request.POST.getlist("key"))
    sentence = ngettext(
        "%(shown)s incomplete upload was removed.", "%(shown)s incomplete uploads were removed.", removed
    )
    messages.success(request, sentence % {"shown": f"{removed:,}"})
    return redirect("videos-add", member.collection.name)


@lead_page("corpus/video_import.html")
def video_import(request: HttpRequest, member: Membership, video_import_id: int) -> PageFacts:
    """How far an import of videos is; once it is finished, what it found and what wasn't taken, with reasons."""
    imports = VideoImport.objects.select_related("collection", "member")
    job = get_object_or_404(imports, pk=video_import_id, collection=member.collection)
    return {"import": import_facts(job), "report": job.report, "progress": progress_of(job), "job": job}
