"""The organiser's pages of campaigns: all of a collection, one with its phases, teams and runs."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from campaigns.models import Campaign
from campaigns.organising.forms import CampaignForm, NewCampaignForm
from campaigns.organising.selectors import choices_of, runs_sent, team_rows
from campaigns.planning.campaign_json import campaign_json, campaigns_json
from campaigns.planning.campaigns import (
    FREE,
    change_campaign,
    choose_release,
    delete_campaign,
    make_campaign,
    take_topics_anew,
)
from campaigns.results.board import board_of_campaign
from campaigns.results.opening import close_results, open_results, why_not_open
from campaigns.scoring.score import ask_for_scores, unscored
from datasets.models import Release
from foundation.access.form_input import whole_number
from foundation.access.guards import lead_required
from foundation.access.pages import PageFacts, lead_page, refusal_told, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.models import Membership
from foundation.refused import Refused

LIST, ONE = "campaigns/campaigns.html", "campaigns/campaign.html"


def campaign_of(member: Membership, campaign_id: int) -> Campaign:
    """A campaign of the collection; 404 otherwise."""
    campaigns = Campaign.objects.select_related("collection", "release")
    return get_object_or_404(campaigns, pk=campaign_id, collection=member.collection)


@lead_page(LIST)
def campaigns(request: HttpRequest, member: Membership) -> PageFacts:
    """The collection's campaigns, newest first, and a form for another."""
    return _all(member, NewCampaignForm(initial=_initial()))


def _initial() -> dict[str, Any]:
    day = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return {
        "opens_at": day,
        "closes_at": day + timedelta(days=28),
        "results_at": day + timedelta(days=42),
        "audience": Campaign.Audience.TEAMS,
        **{name: getattr(Campaign(), name) for name in FREE if name.startswith("most_")},
    }


def _all(member: Membership, form: NewCampaignForm) -> PageFacts:
    rows = Campaign.objects.filter(collection=member.collection).select_related("release", "collection").order_by("-pk")
    return {"campaigns": campaigns_json(list(rows)), "form": form, "choices": choices_of(member.collection)}


@require_POST
@lead_required
def make(request: HttpRequest, member: Membership) -> HttpResponse:
    """Make a campaign; the page again with what is wrong in the form."""
    form = NewCampaignForm(request.POST)
    if form.is_valid():
        cleaned = dict(form.cleaned_data)
        release_id, split = cleaned.pop("over")
        release = None if release_id is None else Release.objects.filter(pk=release_id).first()
        try:
            if release_id is not None and (release is None or release.collection_id != member.collection_id):
                raise Refused(_("There is no such release here."), "over")
            campaign = make_campaign(
                member=member, split=split, release=release, judged_later=release_id is None, **cleaned
            )
        except Refused as refusal:
            form.take({"over" if name in ("release", "split") else name: why for name, why in refusal.wrong.items()})
        else:
            messages.success(request, _("The campaign is made. Add its teams next."))
            return redirect(campaign)
    return render_facts(request, member, LIST, _all(member, form), status=400)


@lead_page(ONE)
def campaign(request: HttpRequest, member: Membership, campaign_id: int) -> PageFacts:
    """One campaign: phases, teams with their figures, runs with states and reasons, the board."""
    return _one(request, campaign_of(member, campaign_id))


def _one(request: HttpRequest, campaign: Campaign, form: CampaignForm | None = None) -> PageFacts:
    form = form or CampaignForm(initial={name: getattr(campaign, name) for name in FREE})
    scoring = campaign.scorings.order_by("-pk").first()
    return {
        "campaign": campaign_json(campaign),
        "teams": team_rows(campaign),
        "submissions": runs_sent(campaign),
        "board": board_of_campaign(campaign, asked=request.GET.get("sort", "")),
        "not_open": "" if campaign.results_opened_at else why_not_open(campaign),
        "scoring": progress_told(scoring) if scoring else None,
        "form": form,
        "unscored": unscored(campaign).filter(excluded_at=None).exists(),
        "releases": Release.objects.filter(collection=campaign.collection).order_by("-pk")
        if campaign.judged_later
        else [],
        "public_address": request.build_absolute_uri(reverse("campaign-home", args=[campaign.name])),
    }


@require_POST
@lead_required
def change(request: HttpRequest, member: Membership, campaign_id: int) -> HttpResponse:
    """Change deadlines, limits, rules and what boards show."""
    campaign = campaign_of(member, campaign_id)
    form = CampaignForm(request.POST)
    if form.is_valid():
        try:
            change_campaign(campaign=campaign, **form.cleaned_data)
        except Refused as refusal:
            form.take(refusal.wrong)
        else:
            messages.success(request, _("The campaign is changed."))
            return redirect(campaign)
    return render_facts(request, member, ONE, _one(request, campaign, form), status=400)


@require_POST
@lead_required
def topics(request: HttpRequest, member: Membership, campaign_id: int) -> HttpResponse:
    """Take topics and videos anew, before a run was sent."""
    campaign = campaign_of(member, campaign_id)
    with refusal_told(request):
        count = take_topics_anew(campaign=campaign)
        words = ngettext("The campaign has %(shown)s topic now.", "The campaign has %(shown)s topics now.", count)
        messages.success(request, words % {"shown": f"{count:,}"})
    return redirect(campaign)


@require_POST
@lead_required
def release(request: HttpRequest, member: Membership, campaign_id: int) -> HttpResponse:
    """Choose the release that runs of a campaign judged later are scored against, and have them scored."""
    campaign = campaign_of(member, campaign_id)
    number = whole_number(request.POST.get("release", "")) or 0
    chosen = Release.objects.filter(pk=number, collection=member.collection).first()
    if chosen is None:
        messages.error(request, _("Choose a release of this collection."))
        return redirect(campaign)
    with refusal_told(request):
        campaign = choose_release(campaign=campaign, release=chosen)
        ask_on_page(request, ask_for_scores(campaign=campaign, member=member))
    return redirect(campaign)


@require_POST
@lead_required
def score(request: HttpRequest, member: Membership, campaign_id: int) -> HttpResponse:
    """Have a worker score what isn't scored yet."""
    campaign = campaign_of(member, campaign_id)
    with refusal_told(request):
        ask_on_page(request, ask_for_scores(campaign=campaign, member=member))
    return redirect(campaign)


@require_POST
@lead_required
def results(request: HttpRequest, member: Membership, campaign_id: int) -> HttpResponse:
    """Open the results, or hide them again (`hide`)."""
    campaign = campaign_of(member, campaign_id)
    if request.POST.get("hide"):
        close_results(campaign=campaign)
        messages.info(request, _("The results are hidden again."))
        return redirect(campaign)
    with refusal_told(request):
        open_results(campaign=campaign)
        messages.success(request, _("The results are open."))
    return redirect(campaign)


@require_POST
@lead_required
def delete(request: HttpRequest, member: Membership, campaign_id: int) -> HttpResponse:
    """Delete a campaign to which no run was sent."""
    campaign = campaign_of(member, campaign_id)
    with refusal_told(request):
        delete_campaign(campaign=campaign)
        messages.info(request, _("The campaign is deleted."))
        return redirect("campaigns", member.collection.name)
    return redirect(campaign)
