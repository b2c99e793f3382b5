"""The organiser's page of one run: what was checked, its faults, its scores, its file, and what is decided of it."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from campaigns.models import Submission
from campaigns.planning.campaign_json import campaign_json
from campaigns.submissions.decisions import exclude_submission, include_submission
from campaigns.submissions.selectors import row_of
from foundation.access.guards import lead_required
from foundation.access.pages import PageFacts, lead_page, refusal_told
from foundation.infra.job_progress import progress_told
from foundation.models import Membership
from queries.runs.received_run import run_attached


def submission_of(member: Membership, submission_id: int) -> Submission:
    """A run sent to one of the collection's campaigns; 404 otherwise."""
    rows = Submission.objects.select_related("team__campaign__collection", "team__campaign__release", "account")
    found = rows.with_scores().filter(pk=submission_id, team__campaign__collection=member.collection).first()
    if found is None:
        raise Http404("no such run")
    return found


@lead_page("campaigns/submission.html")
def submission(request: HttpRequest, member: Membership, submission_id: int) -> PageFacts:
    """One run."""
    found = submission_of(member, submission_id)
    score = getattr(found, "score", None)
    return {
        "campaign": campaign_json(found.team.campaign),
        "submission": row_of(found),
        "sent_by": found.account.username if found.account else "",
        "description": found.description,
        "file_name": found.file_name,
        "sha256": found.sha256,
        "format": found.format,
        "faults": found.faults,
        "progress": progress_told(found),
        "values": [{"measure": measure, "value": score.values.get(measure)} for measure in score.board.measures]
        if score
        else [],
        "kept": bool(found.stored_file),
    }


@require_POST
@lead_required
def decide(request: HttpRequest, member: Membership, submission_id: int) -> HttpResponse:
    """Exclude a run with a reason, or have it count again."""
    found = submission_of(member, submission_id)
    with refusal_told(request):
        if request.POST.get("what") == "exclude":
            exclude_submission(submission=found, reason=request.POST.get("reason", ""))
            messages.success(request, _("The run counts no longer."))
        elif request.POST.get("what") == "include":
            include_submission(submission=found)
            messages.success(request, _("The run counts again."))
    return redirect(found)


@require_safe
@lead_required
def file(request: HttpRequest, member: Membership, submission_id: int) -> HttpResponseBase:
    """The run's file as it was sent."""
    found = submission_of(member, submission_id)
    return run_attached(found.stored_file, found.file_name)
