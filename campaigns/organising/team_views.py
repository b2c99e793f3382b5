"""The organiser's pages of teams: many added at once, one with its members, links and deadline."""

from datetime import datetime

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from campaigns.models import Campaign, Team
from campaigns.organising.forms import MomentField
from campaigns.organising.selectors import team_rows
from campaigns.organising.views import campaign_of
from campaigns.planning.campaign_json import campaign_json
from campaigns.submissions.selectors import submission_rows
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


def _many(found: Campaign, **shown: object) -> PageFacts:
    common = {"campaign": campaign_json(found), "teams": team_rows(found)}
    return {**common, "wrong": "", "said": "", "links": [], **shown}


@require_POST
@never_cache
@lead_required
def make(request: HttpRequest, member: Membership, campaign_id: int) -> HttpResponse:
    """Add teams, all or none. The answer has a link for each of them, which is shown nowhere else."""
    found = campaign_of(member, campaign_id)
    said = request.POST.get("teams", "")
    account = account_of(request)
    try:
        made = make_teams(campaign=found, teams=read_teams(said))
    except Refused as refusal:
        return render_facts(request, member, MANY, _many(found, wrong=str(refusal), said=said), status=400)
    links = [(one, _address(request, make_link(team=one, by=account).token)) for one in made]
    messages.success(
        request, ngettext("%(count)s team is added.", "%(count)s teams are added.", len(made)) % {"count": len(made)}
    )
    return render_facts(request, member, MANY, _many(found, links=links))


def _address(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(f"/teams/join/{token}/")


def team_of(member: Membership, team_id: int) -> Team:
    """A team of one of the collection's campaigns; 404 otherwise."""
    rows = Team.objects.select_related("campaign__collection", "campaign__release")
    found = rows.filter(pk=team_id, campaign__collection=member.collection).first()
    if found is None:
        raise Http404("no such team")
    return found


@lead_page(ONE)
def team(request: HttpRequest, member: Membership, team_id: int) -> PageFacts:
    """One team: members, open links, runs, deadline."""
    return _page(team_of(member, team_id))


def _page(found: Team, wrong: dict[str, str] | None = None, link: str = "") -> PageFacts:
    torn = set(conflicts(found.campaign).filter(team=found).values_list("pk", flat=True))
    members = found.members.select_related("account").order_by("pk")
    return {
        "campaign": campaign_json(found.campaign),
        "team": next(row for row in team_rows(found.campaign) if row.id == found.pk),
        "members": [
            {"id": one.pk, "account": one.account.username, "joined_at": one.joined_at, "conflict": one.pk in torn}
            for one in members
        ],
        "links": [
            {"id": one.pk, "made_at": one.made_at, "expires_at": one.expires_at}
            for one in found.links.filter(used_at=None, withdrawn_at=None).order_by("-pk")
        ],
        "submissions": submission_rows(found.campaign, found),
        "closes_at": found.campaign.closes_for(found),
        "wrong": wrong or {},
        "link": link,
    }


@require_POST
@never_cache
@lead_required
def change(request: HttpRequest, member: Membership, team_id: int) -> HttpResponse:
    """Change a team by `what`: its names, a link, a member, its deadline, whether it counts. 400 for anything else."""
    found = team_of(member, team_id)
    what, said = request.POST.get("what", ""), request.POST
    back = redirect("campaign-team", member.collection.name, found.pk)
    try:
        if what == "link":
            made = make_link(team=found, by=account_of(request))
            page = _page(found, link=_address(request, made.token))
            return render_facts(request, member, ONE, page)
        if what == "names":
            change_team(
                team=found,
                name=said.get("team_name", ""),
                affiliation=said.get("affiliation", ""),
                contact=said.get("contact", ""),
                anonymous=bool(said.get("anonymous")),
            )
        elif what == "withdraw-link":
            for link in found.links.filter(pk=_number(said.get("link", ""))):
                withdraw_link(link=link)
        elif what == "remove":
            for place in found.members.filter(pk=_number(said.get("member", ""))):
                remove_member(place=place)
        elif what == "extend":
            extend_team(team=found, until=_moment(said.get("until", "")))
        elif what == "disqualify":
            disqualify_team(team=found, reason=said.get("reason", ""))
        elif what == "readmit":
            readmit_team(team=found)
        elif what == "delete":
            delete_team(team=found)
            back = redirect("campaign", member.collection.name, found.campaign_id)
        else:
            raise Refused(_("Found %(found)s, expected something this page offers.") % {"found": repr(what[:20])})
    except Refused as refusal:
        wrong = {{"name": "team_name"}.get(refusal.field, refusal.field): str(refusal)}
        return render_facts(request, member, ONE, _page(found, wrong), status=400)
    messages.success(request, _("The team is changed."))
    return back


def _number(said: str) -> int:
    return whole_number(said) or 0


def _moment(said: str) -> datetime | None:
    if not said.strip():
        return None
    try:
        return MomentField().clean(said)
    except ValidationError as error:
        raise Refused(" ".join(error.messages), field="until") from error
