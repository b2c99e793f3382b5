"""The organiser's page of one run: what was checked, its faults, its scores, its file, and what is decided of it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from campaigns.models import Submission
from campaigns.submissions.decisions import exclude_submission, include_submission
from foundation.access.guards import lead_required
from foundation.access.pages import PageFacts, lead_page, refusal_told
from foundation.infra.job_progress import progress_told
from foundation.models import Membership
from queries.runs.received_run import run_attached


def submission_of(member: Membership, submission_id: int) -> Submission:
    """A run sent to one of the collection's campaigns; 404 otherwise."""
    runs = Submission.objects.select_related("team__campaign__collection", "team__campaign__release", "account")
    return get_object_or_404(runs.with_scores(), pk=submission_id, team__campaign__collection=member.collection)


@lead_page("campaigns/submission.html")
def submission(request: HttpRequest, member: Membership, submission_id: int) -> PageFacts:
    """One run."""
    run = submission_of(member, submission_id)
    return {
        "campaign": run.team.campaign,
        "submission": run,
        "standing": run.standing,
        "faults": run.faults,
        "progress": progress_told(run),
    }


@require_POST
@lead_required
def decide(request: HttpRequest, member: Membership, submission_id: int) -> HttpResponse:
    """Exclude a run with a reason, or have it count again."""
    run = submission_of(member, submission_id)
    with refusal_told(request):
        if request.POST.get("what") == "exclude":
            exclude_submission(submission=run, reason=request.POST.get("reason", ""))
            messages.success(request, _("The run counts no longer."))
        elif request.POST.get("what") == "include":
            include_submission(submission=run)
            messages.success(request, _("The run counts again."))
    return redirect(run)


@require_safe
@lead_required
def file(request: HttpRequest, member: Membership, submission_id: int) -> HttpResponseBase:
    """The run's file as it was sent."""
    run = submission_of(member, submission_id)
    return run_attached(run.stored_file, run.file_name)
