"""A team's pages: what to do next, topics, its runs, the board. Where a board is public, everybody reads its page."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from campaigns.models import Campaign, Submission, TeamMember
from campaigns.planning.phases import Phase, phase_of
from campaigns.portal.guard import campaign_seen, takes_runs, team_required
from campaigns.portal.selectors import home_facts, own_run
from campaigns.results.board import board_of_campaign, may_see_board
from campaigns.submissions.decisions import may_change, set_priority, withdraw_submission
from campaigns.submissions.jobs import progress_of_submission
from campaigns.submissions.receive import receive
from campaigns.teams.joining import make_link, remove_member, withdraw_link
from campaigns.teams.teams import change_team
from campaigns.topics.files import FILES
from foundation.access.arrival_time import began_at, database_now
from foundation.access.error_pages import speaks_json
from foundation.access.form_input import whole_number
from foundation.access.needs_login import to_login
from foundation.access.pages import refusal_told
from foundation.infra.job_pages import ask_on_page
from foundation.markdown import to_html
from foundation.refused import Refused
from queries.runs.received_run import run_attached

HOME, VISITORS = "campaigns/home.html", "campaigns/public.html"


@require_safe
@never_cache
def home(request: HttpRequest, campaign: str) -> HttpResponse:
    """The team's page of a campaign; for others what is public of it, and the login page where nothing is."""
    try:
        found, place = campaign_seen(request, campaign)
    except Http404:
        if request.user.is_authenticated:
            raise
        return to_login(request)
    if place is None:
        return _visitors(request, found)
    return _team(request, place)


def _visitors(request: HttpRequest, found: Campaign) -> HttpResponse:
    seen = may_see_board(found)
    facts = {
        "campaign": _public_facts(found),
        "board": _board(request, found, None) if seen else None,
    }
    return _answer(request, VISITORS, facts, {"found": found})


def _public_facts(found: Campaign) -> dict[str, Any]:
    now = database_now()
    phase = phase_of(found, now)
    return {
        "name": found.name,
        "title": found.title,
        "collection": found.collection.title,
        "phase": str(phase),
        "opens_at": found.opens_at,
        "closes_at": found.closes_at,
        "results_at": found.results_at,
        "rules_html": to_html(found.rules) if found.rules else "",
        "contact": found.contact,
        "topics": found.topics.count(),
        "videos": len(found.corpus.videos),
    }


def _board(request: HttpRequest, found: Campaign, place: TeamMember | None) -> dict[str, Any]:
    board = board_of_campaign(found, asked=request.GET.get("sort", ""), own=place.team if place else None)
    return {"measures": board.measures, "sort": board.sort, "lines": board.lines}


def _answer(
    request: HttpRequest, template: str, facts: dict[str, Any], shown: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    return render(request, template, {**facts, **shown}, status=status)


def _team(
    request: HttpRequest,
    place: TeamMember,
    wrong: dict[str, str] | None = None,
    *,
    link: str = "",
    status: int = 200,
) -> HttpResponse:
    found = place.team.campaign
    facts = {"campaign": _public_facts(found), **home_facts(place)}
    shown = {
        "found": found,
        "place": place,
        "wrong": wrong or {},
        "sent": request.POST,
        "link": link,
        "files": FILES.values(),
        "sees_board": may_see_board(found, team=place.team),
    }
    return _answer(request, HOME, facts, shown, status=status)


@require_safe
@never_cache
def board(request: HttpRequest, campaign: str) -> HttpResponse:
    """The board, once results are open, for its audience; 404 before."""
    try:
        found, place = campaign_seen(request, campaign)
    except Http404:
        if request.user.is_authenticated:
            raise
        return to_login(request)
    if not may_see_board(found, team=place.team if place else None):
        raise Http404("no such board")
    facts = {"campaign": _public_facts(found), "board": _board(request, found, place)}
    return _answer(request, "campaigns/board.html", facts, {"found": found, "place": place})


@require_safe
@never_cache
@team_required
def file(request: HttpRequest, place: TeamMember, file: str) -> HttpResponse:
    """Topics or videos as a file, from the campaign's opening on; never anything that was judged."""
    found, kind = place.team.campaign, FILES.get(file)
    if kind is None or phase_of(found, database_now()) == Phase.ANNOUNCED:
        raise Http404("no such file")
    response = HttpResponse(kind.text(found), content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="{found.name}-{kind.name}"'
    return response


@takes_runs
@require_POST
@team_required
def submit(request: HttpRequest, place: TeamMember) -> HttpResponse:
    """Take a run and have a worker check it. Its deadline is held against when the request began to arrive."""
    begun = began_at()
    said, sent = request.POST, request.FILES.get("file")
    if sent is None:
        return _not_taken(request, place, {"file": _("Choose a file.")})
    priority = said.get("priority", "1").strip() or "1"
    try:
        run = receive(
            team=place.team,
            account=place.account,
            file=sent,
            file_name=sent.name or "run",
            name=said.get("run_name", ""),
            description=said.get("description", ""),
            priority=whole_number(priority) or 0,
            replace=bool(said.get("replace")),
            begun_at=begun,
        )
    except Refused as refusal:
        return _not_taken(request, place, {refusal.field or "file": str(refusal)})
    if not run.finished:
        ask_on_page(request, run)
    there = reverse("team-submission", args=[place.team.campaign.name, run.pk])
    return JsonResponse({"address": there}) if speaks_json(request) else redirect(there)


def _not_taken(request: HttpRequest, place: TeamMember, wrong: dict[str, str]) -> HttpResponse:
    """What is wrong in the form, by field: as JSON for the page's script, which shows how much was sent."""
    return (
        JsonResponse({"wrong": wrong}, status=400) if speaks_json(request) else _team(request, place, wrong, status=400)
    )


def run_of(place: TeamMember, submission_id: int) -> Submission:
    """A run of the member's own team; 404 for every other."""
    rows = Submission.objects.select_related("team__campaign__collection", "account").with_scores()
    found = rows.filter(pk=submission_id, team=place.team).first()
    if found is None:
        raise Http404("no such run")
    return found


@require_safe
@never_cache
@team_required
def submission(request: HttpRequest, place: TeamMember, submission_id: int) -> HttpResponse:
    """One of the team's runs: its check, its faults with lines, its scores once the campaign shows them."""
    run = run_of(place, submission_id)
    facts = {"campaign": _public_facts(place.team.campaign), **own_run(run)}
    shown = {"found": place.team.campaign, "place": place, "changes": may_change(run)}
    return _answer(request, "campaigns/own_run.html", facts, shown)


@require_safe
@never_cache
@team_required
def progress(request: HttpRequest, place: TeamMember, submission_id: int) -> HttpResponse:
    """The check's progress, for the page's script."""
    return JsonResponse(progress_of_submission(run_of(place, submission_id)))


@require_POST
@team_required
def change_submission(request: HttpRequest, place: TeamMember, submission_id: int) -> HttpResponse:
    """Withdraw a run, or say which comes first, until submissions close."""
    run = run_of(place, submission_id)
    with refusal_told(request):
        if request.POST.get("what") == "withdraw":
            withdraw_submission(submission=run)
            messages.success(request, _("The run is withdrawn: it counts nowhere."))
        elif request.POST.get("what") == "priority":
            set_priority(submission=run, priority=whole_number(request.POST.get("priority", "")) or 0)
            messages.success(request, _("The order of your runs is changed."))
    return redirect("team-submission", place.team.campaign.name, run.pk)


@require_safe
@never_cache
@team_required
def submission_file(request: HttpRequest, place: TeamMember, submission_id: int) -> HttpResponseBase:
    """A run's file as it was sent, for its team."""
    found = run_of(place, submission_id)
    return run_attached(found.stored_file, found.file_name)


@require_POST
@never_cache
@team_required
def change_own_team(request: HttpRequest, place: TeamMember) -> HttpResponse:
    """What a team decides of itself, by `what`: a link for a colleague, its name on boards, leaving."""
    what, team = request.POST.get("what", ""), place.team
    campaign = team.campaign
    try:
        if what == "link":
            token = make_link(team=team, by=place.account).token
            return _team(request, place, link=request.build_absolute_uri(f"/teams/join/{token}/"))
        if what == "withdraw-link":
            for link in team.links.filter(pk=whole_number(request.POST.get("link", "")) or 0):
                withdraw_link(link=link)
        elif what == "shown":
            change_team(team=team, anonymous=bool(request.POST.get("anonymous")))
        elif what == "leave":
            remove_member(place=place)
            messages.info(request, _("You have left the team %(team)s.") % {"team": team.name})
            return redirect("home")
        else:
            raise Refused(_("Found %(found)s, expected something this page offers.") % {"found": repr(what[:20])})
    except Refused as refusal:
        return _team(request, place, {refusal.field: str(refusal)}, status=400)
    messages.success(request, _("Your team is changed."))
    return redirect("campaign-home", campaign.name)
