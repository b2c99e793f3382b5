"""Release pages: list, make, files, sharing."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.assignment.staffing import staffing
from datasets.content.split_counts import undecided_pairs
from datasets.formats import FORMATS
from datasets.formats.about import FIELDS
from datasets.models import Release, ReleaseJob
from datasets.releases.access import files_for, share_release, takes_part
from datasets.releases.archive import DamagedArchive
from datasets.releases.file_cache import NoSuchFile, open_file
from datasets.releases.jobs import ask_for_release, progress_of_release
from datasets.releases.selectors import facts_of, release_of
from foundation.access.guards import lead_required, member_required
from foundation.access.pages import PageFacts, lead_page, member_page, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.jobs import as_sentence
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
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    jobs = ReleaseJob.objects.filter(collection=member.collection).order_by("-pk")
    job = jobs.first()
    shown = job if job is not None and (not job.finished or job.problem) else None
    under_way = {"id": shown.pk, "name": str(shown), **progress_of_release(shown)} if shown else None
    sent = request.POST if refusal is not None else None
    chosen = sent.getlist("format") if sent is not None else ["tvr-ranking"]
    undecided = undecided_pairs(member.collection)
    return {
        "releases": [facts_of(release) for release in page],
        "job": under_way,
        "undecided": undecided,
        "lacking": staffing(member.collection).lacking if undecided else "",
        "page": page,
        "formats": [(name, one.purpose, name in chosen) for name, one in FORMATS.items()],
        "about": [(field, words, (sent or {}).get(field, "")) for field, words in FIELDS.items()],
        "sent": sent,
        "refusal": refusal,
        "longest": LONGEST_NAME,
        "change": pool_change(member.collection),
    }


@require_POST
@lead_required
def make(request: HttpRequest, member: Membership) -> HttpResponse:
    """Have a worker make a release; owners and leads only. 400 shows the form again with what is wrong in it."""
    name = request.POST.get("name", "").strip()
    try:
        if name:
            Release._meta.get_field("name").run_validators(name)
        if undecided_pairs(member.collection) and "without_undecided" not in request.POST:
            raise Refused(
                gettext(
                    "Some pairs aren't decided yet, and a release can't be changed: confirm that it leaves them out."
                ),
                field="without_undecided",
            )
        job = ask_for_release(
            member=member,
            name=name,
            formats=request.POST.getlist("format"),
            adjudicated="adjudicated" in request.POST,
            about={field: request.POST.get(field, "") for field in FIELDS},
        )
    except (Refused, ValidationError) as error:
        refusal = error if isinstance(error, Refused) else Refused(as_sentence(" ".join(error.messages)), field="name")
        return render_facts(request, member, TEMPLATE, _facts(request, member, refusal), status=400)
    ask_on_page(request, job)
    return redirect("releases", member.collection.name)


@require_POST
@lead_required
def share(request: HttpRequest, member: Membership, release_id: int) -> HttpResponse:
    """Set what members see of a release; owners and leads only."""
    found = release_of(member, release_id)
    sharing = share_release(release=found, members="members" in request.POST, hide_test="hide_test" in request.POST)
    messages.success(
        request,
        gettext("Members see release %(name)s.") % {"name": found.name}
        if sharing.members
        else gettext("Only leads see it."),
    )
    return redirect("release", member.collection.name, found.pk)


@member_page("datasets/shared.html")
def shared(request: HttpRequest, member: Membership) -> PageFacts:
    """The releases that the lead shares with the members, with their boards and the files they may have."""
    found = member.collection.releases.order_by("-created_at", "-pk")
    if not member.leads:
        found = found.filter(sharing__members=True) if takes_part(member) else found.none()
    return {
        "releases": [{**facts_of(one), "files": files_for(member, one)} for one in found],
    }


@require_safe
@member_required
def file(request: HttpRequest, member: Membership, release_id: int, path: str) -> HttpResponseBase:
    """One file of a release; 404 if it isn't shared with the member."""
    found = release_of(member, release_id)
    if path not in files_for(member, found):
        raise Http404("no such file")
    try:
        opened = open_file(found, path)
    except (NoSuchFile, DamagedArchive) as error:
        raise Http404(str(error)) from error
    response = FileResponse(opened, as_attachment=True, filename=path.rsplit("/", 1)[-1])
    response["Cache-Control"] = "private, no-cache"
    return response


@require_safe
@lead_required
def archive(request: HttpRequest, member: Membership, release_id: int) -> HttpResponseBase:
    """The whole release as .tar.gz; owners and leads only."""
    found = release_of(member, release_id)
    if not default_storage.exists(found.archive):
        raise Http404("its archive is no longer in the storage")
    name = f"{member.collection.name}-{found.name}.tar.gz"
    return FileResponse(default_storage.open(found.archive, "rb"), as_attachment=True, filename=name)
