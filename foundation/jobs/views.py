"""The pages of jobs: list, one job with its log, stop and resume."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from foundation.access.guards import member_or_token_required
from foundation.access.pages import PageFacts, lead_page, lead_post
from foundation.infra.job_control import stop_job
from foundation.infra.job_pages import resume_on_page
from foundation.infra.job_progress import progress_told
from foundation.infra.list_pages import numbered_page
from foundation.jobs.guards import job_of
from foundation.jobs.selectors import jobs_of, log_of, row_of, rows_of
from foundation.models import Job, Membership

PAGE = 50


@lead_page("foundation/jobs.html")
def jobs(request: HttpRequest, member: Membership) -> PageFacts:
    """All jobs of the collection: those under way first, then the newest."""
    page = numbered_page(jobs_of(member.collection), request.GET, size=PAGE)
    return {"jobs": rows_of(member.collection, page), "page": page}


@lead_page("foundation/job.html")
def job(request: HttpRequest, member: Membership, kind: str, job_id: int) -> PageFacts:
    """One job: how far it is, its log, and buttons to stop or resume it."""
    shown = job_of(member, kind, job_id)
    row = row_of(shown)
    return {
        "job": row,
        "progress": row.progress,
        "log": log_of(shown),
        "kept": _(shown.KEPT),
    }


@require_safe
@member_or_token_required
def progress(request: HttpRequest, member: Membership, kind: str, job_id: int) -> HttpResponse:
    """A job's progress and its log, for the page's script."""
    shown = job_of(member, kind, job_id)
    return JsonResponse({**progress_told(shown), "log": log_of(shown)})


@lead_post
def stop(request: HttpRequest, member: Membership, kind: str, job_id: int) -> HttpResponse:
    """Stop a job; owners and leads only. Repeating it changes nothing."""
    stopped = job_of(member, kind, job_id)
    if stop_job(stopped, by=member):
        messages.success(request, _("Stopped. %(kept)s") % {"kept": _(stopped.KEPT)})
    else:
        messages.info(request, _("It had ended already, so there was nothing to stop."))
    return _back(request, member, stopped)


@require_POST
@member_or_token_required
def resume(request: HttpRequest, member: Membership, kind: str, job_id: int) -> HttpResponse:
    """Resume a job that was stopped, or that no worker is at."""
    resumed = job_of(member, kind, job_id, resumes=True)
    resume_on_page(request, resumed, member)
    return _back(request, member, resumed)


def _back(request: HttpRequest, member: Membership, job: Job) -> HttpResponse:
    """To the page that the button is on."""
    page = request.POST.get("page", "")
    if url_has_allowed_host_and_scheme(page, allowed_hosts=None):
        return redirect(page)
    if member.leads:
        return redirect("job", member.collection.name, job.KIND, job.pk)
    return redirect(job.get_absolute_url())
