"""Release pages: list, make, files, sharing."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.assignment.staffing import staffing
from annotation.models import MachineJudge
from datasets.content.split_counts import undecided_pairs
from datasets.formats import FORMATS
from datasets.formats.about import FIELDS
from datasets.models import ReleaseJob
from datasets.releases.access import files_for, share_release, takes_part
from datasets.releases.downloads import archive_download, file_download
from datasets.releases.jobs import ask_for_release, progress_of_release
from datasets.releases.selectors import facts_of, release_of
from foundation.access.form_input import with_point
from foundation.access.guards import member_required
from foundation.access.pages import PageFacts, lead_get, lead_page, lead_post, member_page, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.list_pages import numbered_page
from foundation.models import Membership
from foundation.refused import Refused
from queries.pooling.selectors import pool_change

PAGE = 50


TEMPLATE = "datasets/releases.html"
LONGEST_NAME = 60


@lead_page(TEMPLATE)
def releases(request: HttpRequest, member: Membership) -> PageFacts:
    """The collection's releases, newest first, the form for a new one, and jobs under way."""
    return _facts(request, member)


def _facts(request: HttpRequest, member: Membership, refusal: Refused | None = None) -> PageFacts:
    """The page; after a `refusal` its form shows what was sent, and what is wrong with it."""
    rows = member.collection.releases.order_by("-created_at", "-pk")
    page = numbered_page(rows, request.GET, size=PAGE)
    jobs = ReleaseJob.objects.filter(collection=member.collection).order_by("-pk")
    job = jobs.first()
    shown = job if job is not None and (not job.finished or job.problem) else None
    under_way = {"id": shown.pk, "name": str(shown), **progress_of_release(shown)} if shown else None
    sent = request.POST if refusal is not None else None
    chosen = sent.getlist("format") if sent is not None else ["tvr-ranking"]
    judges = MachineJudge.objects.filter(collection=member.collection).order_by("pk")
    with_judges = sent.getlist("machine_judges") if sent is not None else []
    undecided = undecided_pairs(member.collection)
    return {
        "releases": [facts_of(release) for release in page],
        "job": under_way,
        "undecided": undecided,
        "lacking": staffing(member.collection).lacking if undecided else "",
        "page": page,
        "formats": [(name, described.purpose, name in chosen) for name, described in FORMATS.items()],
        "about": [(field, words, sent.get(field, "") if sent is not None else "") for field, words in FIELDS.items()],
        "judges": [(judge, judge.name in with_judges) for judge in judges],
        "sent": sent,
        "refusal": refusal,
        "longest": LONGEST_NAME,
        "change": pool_change(member.collection),
    }


@lead_post
def make(request: HttpRequest, member: Membership) -> HttpResponse:
    """Have a worker make a release; owners and leads only. 400 shows the form again with what is wrong in it."""
    try:
        job = ask_for_release(
            member=member,
            name=request.POST.get("name", "").strip(),
            formats=request.POST.getlist("format"),
            adjudicated="adjudicated" in request.POST,
            train_below=_cosine_typed(request.POST.get("train_below", "").strip()),
            posteriors="posteriors" in request.POST,
            provenance="provenance" in request.POST,
            machine_judges=request.POST.getlist("machine_judges"),
            about={field: request.POST.get(field, "") for field in FIELDS},
            without_undecided="without_undecided" in request.POST,
        )
    except Refused as refusal:
        return render_facts(request, member, TEMPLATE, _facts(request, member, refusal), status=400)
    ask_on_page(request, job)
    return redirect("releases", member.collection.name)


def _cosine_typed(text: str) -> float | None:
    """Empty: None. Raises: Refused."""
    try:
        return float(with_point(text)) if text else None
    except ValueError as error:
        fault = gettext("Found “%(found)s”, expected a cosine such as 0.9, or nothing.") % {"found": text[:80]}
        raise Refused(fault, field="train_below") from error


@lead_post
def share(request: HttpRequest, member: Membership, release_id: int) -> HttpResponse:
    """Set what members see of a release; owners and leads only."""
    release = release_of(member, release_id)
    sharing = share_release(release=release, members="members" in request.POST, hide_test="hide_test" in request.POST)
    messages.success(
        request,
        gettext("Members see release %(name)s.") % {"name": release.name}
        if sharing.members
        else gettext("Only leads see it."),
    )
    return redirect("release", member.collection.name, release.pk)


@member_page("datasets/shared.html")
def shared(request: HttpRequest, member: Membership) -> PageFacts:
    """The releases that the lead shares with the members, with their boards and the files they may have."""
    rows = member.collection.releases.order_by("-created_at", "-pk")
    if not member.leads:
        rows = rows.filter(sharing__members=True) if takes_part(member) else rows.none()
    return {"releases": [{**facts_of(release), "files": files_for(member, release)} for release in rows]}


@require_safe
@member_required
def file(request: HttpRequest, member: Membership, release_id: int, path: str) -> HttpResponseBase:
    """One file of a release; 404 if it isn't shared with the member."""
    release = release_of(member, release_id)
    return file_download(request, release, path, allowed=files_for(member, release))


@lead_get
def archive(request: HttpRequest, member: Membership, release_id: int) -> HttpResponseBase:
    """The whole release as .tar.gz; owners and leads only."""
    return archive_download(request, release_of(member, release_id))
