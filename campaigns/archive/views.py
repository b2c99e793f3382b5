"""The page on which an organiser exports a campaign, and the archive itself."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from campaigns.archive.jobs import archive_attached, archive_name, ask_for_export, newest_export
from campaigns.organising.views import campaign_of
from foundation.access.guards import lead_required
from foundation.access.pages import PageFacts, lead_page, refusal_told
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.models import Membership


@lead_page("campaigns/export.html")
def export(request: HttpRequest, member: Membership, campaign_id: int) -> PageFacts:
    """The newest archive, and the job that makes one; owners and leads only."""
    campaign = campaign_of(member, campaign_id)
    job = campaign.campaignexports.order_by("-pk").first()
    return {
        "campaign": campaign,
        "name": archive_name(campaign),
        "archive": newest_export(campaign),
        "job": job and progress_told(job),
    }


@require_POST
@lead_required
def make(request: HttpRequest, member: Membership, campaign_id: int) -> HttpResponse:
    """Have a worker pack the campaign; owners and leads only."""
    campaign = campaign_of(member, campaign_id)
    with refusal_told(request):
        ask_on_page(request, ask_for_export(campaign=campaign, member=member))
    return redirect("campaign-export", member.collection.name, campaign.pk)


@require_safe
@lead_required
def download(request: HttpRequest, member: Membership, campaign_id: int) -> HttpResponseBase:
    """The newest archive; owners and leads only."""
    return archive_attached(campaign_of(member, campaign_id))
