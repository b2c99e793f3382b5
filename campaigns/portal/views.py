"""A team's pages: what to do next, topics, its runs, the board. Where a board is public, everybody reads its page."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from campaigns.models import Campaign, Submission, TeamMember
from campaigns.portal.guard import seen_or_login, takes_runs, team_required
from campaigns.portal.selectors import file_attached, home_facts, own_score
from campaigns.results.board import board_of_campaign, may_see_board
from campaigns.submissions.decisions import may_change, set_priority, withdraw_submission
from campaigns.submissions.jobs import progress_of_submission
from campaigns.submissions.receive import receive
from campaigns.teams.joining import make_link, remove_member, withdraw_link
from campaigns.teams.teams import change_team
from campaigns.topics.files import FILES
from foundation.access.arrival_time import began_at
from foundation.access.error_pages import speaks_json
from foundation.access.form_input import whole_number
from foundation.access.pages import refusal_told
from foundation.infra.job_pages import ask_on_page
from foundation.markdown import to_html
from foundation.refused import Refused
from queries.runs.received_run import run_attached


@require_safe
@never_cache
@seen_or_login
def home(request: HttpRequest, campaign: Campaign, place: TeamMember | None) -> HttpResponse:
    """The team's page of a campaign; for others what is public of it, and the login page where nothing is."""
    if place is not None:
        return _team(request, place)
    board = board_of_campaign(campaign, asked=request.GET.get("sort", "")) if may_see_board(campaign) else None
    facts = {"campaign": campaign, "rules_html": to_html(campaign.rules), "board": board}
    return render(request, "campaigns/public.html", facts)


def _team(
    request: HttpRequest, place: TeamMember, wrong: dict[str, str] | None = None, *, link: str = "", status: int = 200
) -> HttpResponse:
    campaign = place.team.campaign
    facts = {
        **home_facts(place),
        "campaign": campaign,
        "rules_html": to_html(campaign.rules),
        "wrong": wrong or {},
        "sent": request.POST,
        "link": link,
        "files": FILES.values(),
        "sees_board": may_see_board(campaign, team=place.team),
    }
    return render(request, "campaigns/home.html", facts, status=status)


@require_safe
@never_cache
@seen_or_login
def board(request: HttpRequest, campaign: Campaign, place: TeamMember | None) -> HttpResponse:
    """The board, once results are open, for its audience; 404 before."""
    if not may_see_board(campaign, team=place.team if place else None):
        raise Http404("no such board")
    board = board_of_campaign(campaign, asked=request.GET.get("sort", ""))
    return render(request, "campaigns/board.html", {"campaign": campaign, "place": place, "board": board})


@require_safe
@never_cache
@team_required
def file(request: HttpRequest, place: TeamMember, file: str) -> HttpResponse:
    """Topics or videos as a file, from the campaign's opening on; never anything that was judged."""
    return file_attached(place.team.campaign, file)


@takes_runs
@require_POST
@team_required
def submit(request: HttpRequest, place: TeamMember) -> HttpResponse:
    """Take a run and have a worker check it. Its deadline is held against when the request began to arrive."""
    begun = began_at()
    form, sent = request.POST, request.FILES.get("file")
    if sent is None:
        return _not_taken(request, place, {"file": _("Choose a file.")})
    priority = form.get("priority", "1").strip() or "1"
    try:
        run = receive(
            team=place.team,
            account=place.account,
            file=sent,
            file_name=sent.name or "run",
            name=form.get("run_name", ""),
            description=form.get("description", ""),
            priority=whole_number(priority) or 0,
            replace=bool(form.get("replace")),
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
    runs = Submission.objects.select_related("team__campaign__collection", "account").with_scores()
    return get_object_or_404(runs, pk=submission_id, team=place.team)


@require_safe
@never_cache
@team_required
def submission(request: HttpRequest, place: TeamMember, submission_id: int) -> HttpResponse:
    """One of the team's runs: its check, its faults with lines, its scores once the campaign shows them."""
    run = run_of(place, submission_id)
    facts = {
        "campaign": place.team.campaign,
        "run": run,
        "standing": run.standing,
        "score": own_score(run),
        "faults": run.faults,
        "progress": progress_of_submission(run),
        "changes": may_change(run),
    }
    return render(request, "campaigns/own_run.html", facts)


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
    run = run_of(place, submission_id)
    return run_attached(run.stored_file, run.file_name)


@require_POST
@never_cache
@team_required
def change_own_team(request: HttpRequest, place: TeamMember) -> HttpResponse:
    """What a team decides of itself, by `what`: a link for a colleague, its name on boards, leaving."""
    change, team = request.POST.get("what", ""), place.team
    campaign = team.campaign
    try:
        if change == "link":
            token = make_link(team=team, by=place.account).token
            return _team(request, place, link=request.build_absolute_uri(f"/teams/join/{token}/"))
        if change == "withdraw-link":
            for link in team.links.filter(pk=whole_number(request.POST.get("link", "")) or 0):
                withdraw_link(link=link)
        elif change == "shown":
            change_team(team=team, anonymous=bool(request.POST.get("anonymous")))
        elif change == "leave":
            remove_member(place=place)
            messages.info(request, _("You have left the team %(team)s.") % {"team": team.name})
            return redirect("home")
        else:
            raise Refused(_("Found %(found)s, expected something this page offers.") % {"found": repr(change[:20])})
    except Refused as refusal:
        return _team(request, place, {refusal.field: str(refusal)}, status=400)
    messages.success(request, _("Your team is changed."))
    return redirect("campaign-home", campaign.name)
