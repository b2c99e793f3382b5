"""The organiser's pages of teams: many added at once, one with its members, links and deadline."""

from datetime import datetime

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from campaigns.models import Campaign, Team
from campaigns.organising.forms import MomentField
from campaigns.organising.selectors import runs_sent, team_rows
from campaigns.organising.views import campaign_of
from campaigns.teams.joining import conflicts, make_link, remove_member, withdraw_link
from campaigns.teams.teams import (
    change_team,
    delete_team,
    disqualify_team,
    extend_team,
    make_teams,
    read_teams,
    readmit_team,
)
from foundation.access.form_input import whole_number
from foundation.access.guards import lead_required
from foundation.access.needs_login import account_of
from foundation.access.pages import PageFacts, lead_page, render_facts
from foundation.models import Membership
from foundation.refused import Refused

MANY, ONE = "campaigns/teams.html", "campaigns/team.html"


@lead_page(MANY)
def teams(request: HttpRequest, member: Membership, campaign_id: int) -> PageFacts:
    """A form to add teams, a line each, and those that are there."""
    return _many(campaign_of(member, campaign_id))


def _many(campaign: Campaign, **shown: object) -> PageFacts:
    return {"campaign": campaign, "teams": team_rows(campaign), "wrong": "", "said": "", "links": [], **shown}


@require_POST
@never_cache
@lead_required
def make(request: HttpRequest, member: Membership, campaign_id: int) -> HttpResponse:
    """Add teams, all or none. The answer has a link for each of them, which is shown nowhere else."""
    campaign = campaign_of(member, campaign_id)
    lines = request.POST.get("teams", "")
    account = account_of(request)
    try:
        added = make_teams(campaign=campaign, teams=read_teams(lines))
    except Refused as refusal:
        return render_facts(request, member, MANY, _many(campaign, wrong=str(refusal), said=lines), status=400)
    links = [(team, _address(request, make_link(team=team, by=account).token)) for team in added]
    messages.success(
        request, ngettext("%(count)s team is added.", "%(count)s teams are added.", len(added)) % {"count": len(added)}
    )
    return render_facts(request, member, MANY, _many(campaign, links=links))


def _address(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(f"/teams/join/{token}/")


def team_of(member: Membership, team_id: int) -> Team:
    """A team of one of the collection's campaigns; 404 otherwise."""
    teams = Team.objects.select_related("campaign__collection", "campaign__release")
    return get_object_or_404(teams, pk=team_id, campaign__collection=member.collection)


@lead_page(ONE)
def team(request: HttpRequest, member: Membership, team_id: int) -> PageFacts:
    """One team: members, open links, runs, deadline."""
    return _page(team_of(member, team_id))


def _page(team: Team, wrong: dict[str, str] | None = None, link: str = "") -> PageFacts:
    return {
        "campaign": team.campaign,
        "team": next(row for row in team_rows(team.campaign) if row.id == team.pk),
        "members": team.members.select_related("account").order_by("pk"),
        "conflicts": conflicts(team.campaign).filter(team=team),
        "links": team.links.filter(used_at=None, withdrawn_at=None).order_by("-pk"),
        "submissions": runs_sent(team.campaign).filter(team=team),
        "closes_at": team.campaign.closes_for(team),
        "wrong": wrong or {},
        "link": link,
    }


@require_POST
@never_cache
@lead_required
def change(request: HttpRequest, member: Membership, team_id: int) -> HttpResponse:
    """Change a team by `what`: its names, a link, a member, its deadline, whether it counts. 400 for anything else."""
    team = team_of(member, team_id)
    change, sent = request.POST.get("what", ""), request.POST
    back = redirect("campaign-team", member.collection.name, team.pk)
    try:
        if change == "link":
            token = make_link(team=team, by=account_of(request)).token
            return render_facts(request, member, ONE, _page(team, link=_address(request, token)))
        if change == "names":
            change_team(
                team=team,
                name=sent.get("team_name", ""),
                affiliation=sent.get("affiliation", ""),
                contact=sent.get("contact", ""),
                anonymous=bool(sent.get("anonymous")),
            )
        elif change == "withdraw-link":
            for link in team.links.filter(pk=_number(sent.get("link", ""))):
                withdraw_link(link=link)
        elif change == "remove":
            for place in team.members.filter(pk=_number(sent.get("member", ""))):
                remove_member(place=place)
        elif change == "extend":
            extend_team(team=team, until=_moment(sent.get("until", "")))
        elif change == "disqualify":
            disqualify_team(team=team, reason=sent.get("reason", ""))
        elif change == "readmit":
            readmit_team(team=team)
        elif change == "delete":
            delete_team(team=team)
            back = redirect("campaign", member.collection.name, team.campaign_id)
        else:
            raise Refused(_("Found %(found)s, expected something this page offers.") % {"found": repr(change[:20])})
    except Refused as refusal:
        wrong = {{"name": "team_name"}.get(refusal.field, refusal.field): str(refusal)}
        return render_facts(request, member, ONE, _page(team, wrong), status=400)
    messages.success(request, _("The team is changed."))
    return back


def _number(text: str) -> int:
    return whole_number(text) or 0


def _moment(text: str) -> datetime | None:
    if not text.strip():
        return None
    try:
        return MomentField().clean(text)
    except ValidationError as error:
        raise Refused(" ".join(error.messages), field="until") from error
