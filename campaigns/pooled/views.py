"""The page on which an organiser puts teams' runs into the pool."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.batches.pools import pool_counts
from campaigns.models import Campaign
from campaigns.organising.views import campaign_of
from campaigns.pooled.put_in_pool import ask_for_pooling, offered_runs, proposed_recipe
from foundation.access.form_input import whole_number
from foundation.access.guards import lead_required
from foundation.access.pages import PageFacts, lead_page, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.models import Membership
from foundation.refused import Refused

TEMPLATE = "campaigns/pool.html"


@lead_page(TEMPLATE)
def pool(request: HttpRequest, member: Membership, campaign_id: int) -> PageFacts:
    """Accepted runs to choose from, the recipe, and how far the pool is; owners and leads only."""
    campaign = campaign_of(member, campaign_id)
    return _facts(campaign, chosen=None, recipe=proposed_recipe(campaign))


def _facts(
    campaign: Campaign, *, chosen: list[int] | None, recipe: str, wrong: dict[str, str] | None = None
) -> PageFacts:
    runs = offered_runs(campaign)
    job = campaign.campaignpoolings.order_by("-pk").first()
    proposed = [run.submission for run in runs if run.proposed]
    return {
        "campaign": campaign,
        "runs": runs,
        "recipe": recipe,
        "most": campaign.collection.depth,
        "counts": pool_counts(campaign.collection),
        "job": job and progress_told(job),
        "chosen": proposed if chosen is None else chosen,
        "wrong": wrong or {},
    }


@require_POST
@lead_required
def make(request: HttpRequest, member: Membership, campaign_id: int) -> HttpResponse:
    """Have a worker put the chosen runs into the pool and make it; owners and leads only."""
    campaign = campaign_of(member, campaign_id)
    numbers = map(whole_number, request.POST.getlist("submissions"))
    chosen = [number for number in numbers if number is not None]
    recipe = request.POST.get("recipe", "")
    try:
        job = ask_for_pooling(campaign=campaign, member=member, submissions=chosen, recipe=recipe)
    except Refused as refusal:
        facts = _facts(campaign, chosen=chosen, recipe=recipe, wrong=refusal.wrong)
        return render_facts(request, member, TEMPLATE, facts, status=400)
    ask_on_page(request, job)
    return redirect("campaign-pool", member.collection.name, campaign.pk)
